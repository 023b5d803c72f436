#include "collector/targets.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <poll.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace perfgap {
namespace {

std::string user_name(std::uint64_t user_id) {
  std::array<char, 4096> buffer;
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(static_cast<uid_t>(user_id), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr)
    return entry.pw_name;
  return fmt::format("id {}", user_id);
}

std::uint64_t effective_capabilities() {
  const std::string status = read_small_file("/proc/self/status");
  const std::size_t at = status.find("CapEff:");
  return at == std::string::npos ? 0 : std::strtoull(status.c_str() + at + 7, nullptr, 16);
}

// A process whose leader is a zombie lives on while another of its threads does.
bool has_ended(const ProcStat& stat) {
  return stat.state == 'X' || (stat.state == 'Z' && read_thread_ids(stat.pid).size() <= 1);
}

}  // namespace

bool NamedTarget::alive() const {
  pollfd wait{.fd = handle.get(), .events = POLLIN, .revents = 0};
  return poll(&wait, 1, 0) == 0;
}

Result<void> check_rights(std::uint64_t pid) {
  const std::uint64_t held = effective_capabilities();
  const auto has = [held](int capability) { return ((held >> capability) & 1) != 0; };
  std::string missing;
  const auto require = [&](int capability, std::string_view name) {
    if (!has(capability)) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
  };
  if (!has(CAP_SYS_ADMIN)) {
    require(CAP_BPF, "CAP_BPF");
    require(CAP_PERFMON, "CAP_PERFMON");
  }
  require(CAP_SYS_PTRACE, "CAP_SYS_PTRACE");
  if (missing.empty()) return {};
  const auto credentials = read_credentials(pid);
  return fail(fmt::format("pid {}: belongs to user {}; sampling it needs {}: run as root", pid,
                          credentials ? user_name(credentials->user_id) : "unknown", missing));
}

Result<std::vector<NamedTarget>> open_targets(
    const std::vector<std::uint64_t>& pids,
    const std::function<void(const std::string&)>& diagnostic) {
  std::vector<NamedTarget> targets;
  std::vector<std::string> gone;
  for (const std::uint64_t pid : pids) {
    NamedTarget target;
    target.handle = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
    const auto stat = read_proc_stat(pid);
    if (!target.handle.valid() || !stat) {
      const bool is_thread = access(fmt::format("/proc/{}/status", pid).c_str(), F_OK) == 0;
      gone.push_back(
          is_thread ? fmt::format("pid {}: is a thread, not a process; give its process's id", pid)
                    : fmt::format("pid {}: no such process; check it with ps -p {}", pid, pid));
      continue;
    }
    if (has_ended(*stat)) {
      gone.push_back(fmt::format("pid {}: has ended (a zombie); name a running process", pid));
      continue;
    }
    if (stat->kernel_thread)
      return fail(
          fmt::format("pid {}: is a kernel thread ({}), which has no user code; name a process",
                      pid, stat->comm));
    if (auto rights = check_rights(pid); !rights) return std::unexpected(rights.error());
    target.stat = *stat;
    targets.push_back(std::move(target));
  }
  if (targets.empty()) return fail(gone.front());
  for (const std::string& line : gone) diagnostic(line);
  return targets;
}

}  // namespace perfgap
