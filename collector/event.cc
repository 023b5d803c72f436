#include "collector/event.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "collector/proc_fs.h"
#include "model/unique_fd.h"

namespace perfgap {
namespace {

constexpr std::uint64_t kProbeRateHz = 1;

// libpfm4 keeps global state; once per process is enough.
Result<void> initialize_libpfm() {
  static const int status = pfm_initialize();
  if (status != PFM_SUCCESS)
    return fail(fmt::format("libpfm4: {}; reinstall libpfm4", pfm_strerror(status)));
  return {};
}

// The modifiers of "cycles:u" are ":u".
std::string_view modifiers_of(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(colon);
}

bool is_cycles(std::string_view name) {
  return name.substr(0, name.find(':')) == "cycles";
}

Result<perf_event_attr> encode(const std::string& name) {
  if (auto ready = initialize_libpfm(); !ready) return std::unexpected(ready.error());
  perf_event_attr attr{};
  attr.size = sizeof(attr);
  pfm_perf_encode_arg_t arg{};
  arg.size = sizeof(arg);
  arg.attr = &attr;
  const int status =
      pfm_get_os_event_encoding(name.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
  if (status != PFM_SUCCESS)
    return usage_error(fmt::format(
        "event '{}': {}; names are libpfm4's, e.g. cycles, cycles:u, instructions, cpu-clock", name,
        pfm_strerror(status)));
  attr.size = sizeof(attr);
  return attr;
}

// 0 if the event opens on some CPU, else the errno.
int probe(perf_event_attr attr) {
  attr.freq = 1;
  attr.sample_freq = kProbeRateHz;
  attr.disabled = 1;
  const auto cpus = online_cpus();
  const UniqueFd fd(
      open_perf_event(attr, -1, cpus.empty() ? 0 : static_cast<std::int32_t>(cpus[0])));
  return fd.valid() ? 0 : errno;
}

bool means_no_pmu(int error) {
  return error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == EINVAL;
}

bool is_clock(const perf_event_attr& attr) {
  return attr.type == PERF_TYPE_SOFTWARE &&
         (attr.config == PERF_COUNT_SW_CPU_CLOCK || attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

SamplingEvent describe(const perf_event_attr& attr, const std::string& requested,
                       const std::string& opened, const std::string& reason) {
  SamplingEvent event;
  event.attr = attr;
  event.info = {.requested = requested,
                .name = opened,
                .reason = reason,
                .excludes_kernel = attr.exclude_kernel != 0,
                .excludes_user = attr.exclude_user != 0};
  event.weight_type = is_clock(attr) ? "cpu" : opened.substr(0, opened.find(':'));
  event.weight_unit = is_clock(attr) ? "nanoseconds" : "count";
  return event;
}

Error open_error(const std::string& name, int error) {
  if (error == EACCES || error == EPERM)
    return {
        fmt::format("event '{}': not permitted ({}); run as root, or with CAP_PERFMON and CAP_BPF",
                    name, strerror(error))};
  if (means_no_pmu(error))
    return {fmt::format("event '{}': this machine does not count it ({}); use cpu-clock", name,
                        strerror(error))};
  return {fmt::format("event '{}': cannot be opened ({})", name, strerror(error))};
}

}  // namespace

int open_perf_event(perf_event_attr& attr, std::int32_t pid, std::int32_t cpu) {
  return static_cast<int>(syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

Result<SamplingEvent> resolve_event(const std::string& name) {
  const auto attr = encode(name);
  if (!attr) return std::unexpected(attr.error());
  const int error = probe(*attr);
  if (error == 0) return describe(*attr, name, name, "");
  if (!is_cycles(name) || !means_no_pmu(error)) return std::unexpected(open_error(name, error));

  const std::string clock = fmt::format("cpu-clock{}", modifiers_of(name));
  auto fallback = encode(clock);
  if (!fallback) return std::unexpected(fallback.error());
  // libpfm4 knows no privilege modifiers on some software events; the flags are the same for every
  // event.
  fallback->exclude_kernel = attr->exclude_kernel;
  fallback->exclude_user = attr->exclude_user;
  if (const int clock_error = probe(*fallback))
    return std::unexpected(open_error(clock, clock_error));
  return describe(*fallback, name, clock, "no hardware PMU here");
}

std::uint64_t allowed_rate_hz(std::uint64_t asked_hz) {
  const std::string text = read_small_file("/proc/sys/kernel/perf_event_max_sample_rate");
  const std::uint64_t limit_hz = std::strtoull(text.c_str(), nullptr, 10);
  return std::min({asked_hz, kHighestRateHz, limit_hz == 0 ? kHighestRateHz : limit_hz});
}

std::vector<std::uint32_t> parse_cpu_list(const std::string& text) {
  std::vector<std::uint32_t> cpus;
  const char* at = text.c_str();
  while (*at >= '0' && *at <= '9') {
    char* end = nullptr;
    const unsigned long first = std::strtoul(at, &end, 10);
    unsigned long last = first;
    if (*end == '-') last = std::strtoul(end + 1, &end, 10);
    for (unsigned long cpu = first; cpu <= last; ++cpu)
      cpus.push_back(static_cast<std::uint32_t>(cpu));
    at = *end == ',' ? end + 1 : end;
  }
  return cpus;
}

std::vector<std::uint32_t> online_cpus() {
  return parse_cpu_list(read_small_file("/sys/devices/system/cpu/online"));
}

}  // namespace perfgap
