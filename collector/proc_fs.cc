#include "collector/proc_fs.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <map>
#include <memory>

#include "model/unique_fd.h"

namespace perfgap {
namespace {

constexpr std::uint64_t kKernelThreadFlag = 0x00200000;  // PF_KTHREAD, include/linux/sched.h
constexpr std::size_t kCommandBytes = 4096;
constexpr std::size_t kMapsBytes = std::size_t{64} << 20;

template <typename T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split_blanks(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t\n", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// The numeric entries of a folder: process or thread ids.
std::vector<std::uint64_t> numeric_entries(const std::string& path) {
  std::vector<std::uint64_t> ids;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (!folder) return ids;
  while (const dirent* entry = readdir(folder.get()))
    if (const auto id = parse_number<std::uint64_t>(entry->d_name)) ids.push_back(*id);
  std::ranges::sort(ids);
  return ids;
}

// The value of "Key:\tvalue" in /proc/PID/status.
std::string_view status_value(std::string_view status, std::string_view key) {
  std::size_t at = 0;
  while (at < status.size()) {
    const std::size_t end = std::min(status.find('\n', at), status.size());
    const std::string_view line = status.substr(at, end - at);
    if (line.starts_with(key)) return line.substr(key.size());
    at = end + 1;
  }
  return {};
}

}  // namespace

std::uint64_t id_with_memory(std::uint64_t pid) {
  const auto stat = read_proc_stat(pid);
  if (!stat || stat->state != 'Z') return pid;
  const auto tids = read_thread_ids(pid);
  const auto other = std::ranges::find_if(tids, [pid](std::uint64_t tid) { return tid != pid; });
  return other == tids.end() ? pid : *other;
}

std::string read_small_file(const std::string& path, std::size_t limit) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 16384> buffer;
  while (fd.valid() && text.size() < limit) {
    const ssize_t got = read(fd.get(), buffer.data(), std::min(buffer.size(), limit - text.size()));
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::optional<ProcStat> parse_proc_stat(std::string_view line) {
  // The comm may hold blanks and parentheses itself: it ends at the last ')'.
  const std::size_t open_at = line.find(" (");
  const std::size_t close_at = line.rfind(')');
  if (open_at == std::string_view::npos || close_at == std::string_view::npos ||
      close_at < open_at + 2)
    return std::nullopt;
  const auto fields = split_blanks(line.substr(close_at + 1));
  constexpr std::size_t kParent = 1, kFlags = 6, kStart = 19;  // counted from the state
  if (fields.size() <= kStart) return std::nullopt;
  const auto pid = parse_number<std::uint64_t>(line.substr(0, open_at));
  const auto parent = parse_number<std::uint64_t>(fields[kParent]);
  const auto flags = parse_number<std::uint64_t>(fields[kFlags]);
  const auto start = parse_number<std::uint64_t>(fields[kStart]);
  if (!pid || !parent || !flags || !start) return std::nullopt;
  return ProcStat{.pid = *pid,
                  .parent_pid = *parent,
                  .comm = std::string(line.substr(open_at + 2, close_at - open_at - 2)),
                  .state = fields[0][0],
                  .kernel_thread = (*flags & kKernelThreadFlag) != 0,
                  .start_ticks = *start};
}

std::optional<ProcStat> read_proc_stat(std::uint64_t pid) {
  return parse_proc_stat(read_small_file(fmt::format("/proc/{}/stat", pid)));
}

std::optional<ProcMapping> parse_proc_mapping(std::string_view line) {
  // start-end perms offset major:minor inode [name]
  std::array<std::string_view, 5> fields;
  std::size_t at = 0;
  for (auto& field : fields) {
    at = line.find_first_not_of(' ', at);
    if (at == std::string_view::npos) return std::nullopt;
    const std::size_t end = std::min(line.find(' ', at), line.size());
    field = line.substr(at, end - at);
    at = end;
  }
  const std::size_t dash = fields[0].find('-');
  const std::size_t colon = fields[3].find(':');
  if (dash == std::string_view::npos || colon == std::string_view::npos || fields[1].size() < 3)
    return std::nullopt;
  const auto start = parse_number<std::uint64_t>(fields[0].substr(0, dash), 16);
  const auto end = parse_number<std::uint64_t>(fields[0].substr(dash + 1), 16);
  const auto offset = parse_number<std::uint64_t>(fields[2], 16);
  const auto major_number = parse_number<unsigned>(fields[3].substr(0, colon), 16);
  const auto minor_number = parse_number<unsigned>(fields[3].substr(colon + 1), 16);
  const auto inode = parse_number<std::uint64_t>(fields[4]);
  if (!start || !end || !offset || !major_number || !minor_number || !inode) return std::nullopt;
  if (fields[1][2] != 'x') return std::nullopt;
  const std::size_t name_at = line.find_first_not_of(' ', at);
  return ProcMapping{
      .start = *start,
      .end = *end,
      .file_offset = *offset,
      .device = makedev(*major_number, *minor_number),
      .inode = *inode,
      .name = name_at == std::string_view::npos ? "//anon" : std::string(line.substr(name_at))};
}

std::vector<ProcMapping> read_executable_mappings(std::uint64_t pid) {
  const std::string text =
      read_small_file(fmt::format("/proc/{}/maps", id_with_memory(pid)), kMapsBytes);
  std::vector<ProcMapping> mappings;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (auto mapping = parse_proc_mapping(std::string_view(text).substr(at, end - at)))
      mappings.push_back(std::move(*mapping));
    at = end + 1;
  }
  return mappings;
}

std::string read_command_line(std::uint64_t pid) {
  std::string text =
      read_small_file(fmt::format("/proc/{}/cmdline", id_with_memory(pid)), kCommandBytes);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  if (!text.empty()) return text;
  const auto stat = read_proc_stat(pid);
  return stat ? fmt::format("[{}]", stat->comm) : std::string();
}

std::string read_executable_path(std::uint64_t pid) {
  std::array<char, PATH_MAX> buffer;
  const ssize_t length = readlink(fmt::format("/proc/{}/exe", id_with_memory(pid)).c_str(),
                                  buffer.data(), buffer.size());
  if (length <= 0) return {};
  std::string path(buffer.data(), static_cast<std::size_t>(length));
  constexpr std::string_view kDeleted = " (deleted)";
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
  return path;
}

std::vector<std::uint64_t> read_thread_ids(std::uint64_t pid) {
  return numeric_entries(fmt::format("/proc/{}/task", pid));
}

std::string read_thread_name(std::uint64_t pid, std::uint64_t tid) {
  std::string name = read_small_file(fmt::format("/proc/{}/task/{}/comm", pid, tid));
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

std::optional<CpuUse> read_thread_cpu(std::uint64_t pid, std::uint64_t tid) {
  const std::string text = read_small_file(fmt::format("/proc/{}/task/{}/schedstat", pid, tid));
  const auto fields = split_blanks(text);
  if (fields.size() < 2) return std::nullopt;
  const auto cpu_ns = parse_number<std::uint64_t>(fields[0]);
  const auto wait_ns = parse_number<std::uint64_t>(fields[1]);
  if (!cpu_ns || !wait_ns) return std::nullopt;
  return CpuUse{.cpu_ns = *cpu_ns, .wait_ns = *wait_ns};
}

std::optional<ProcCredentials> read_credentials(std::uint64_t pid) {
  const std::string status = read_small_file(fmt::format("/proc/{}/status", pid));
  const auto users = split_blanks(status_value(status, "Uid:"));
  const auto pids = split_blanks(status_value(status, "NSpid:"));
  if (users.size() < 2 || pids.empty()) return std::nullopt;
  const auto user = parse_number<std::uint64_t>(users[1]);
  const auto inner = parse_number<std::uint64_t>(pids.back());
  if (!user || !inner) return std::nullopt;
  return ProcCredentials{.user_id = *user, .inner_pid = *inner};
}

std::vector<ProcStat> descendants_of(const std::vector<std::uint64_t>& roots) {
  std::multimap<std::uint64_t, ProcStat> by_parent;
  for (const std::uint64_t pid : numeric_entries("/proc"))
    if (auto stat = read_proc_stat(pid); stat && stat->state != 'Z')
      by_parent.emplace(stat->parent_pid, std::move(*stat));

  std::vector<ProcStat> found;
  std::vector<std::uint64_t> parents = roots;
  while (!parents.empty()) {
    std::vector<std::uint64_t> next;
    for (const std::uint64_t parent : parents) {
      const auto [first, last] = by_parent.equal_range(parent);
      for (auto it = first; it != last; ++it) {
        next.push_back(it->second.pid);
        if (std::ranges::find(roots, it->second.pid) == roots.end()) found.push_back(it->second);
      }
      by_parent.erase(first, last);
    }
    parents = std::move(next);
  }
  return found;
}

}  // namespace perfgap
