// Which event to sample by: names through libpfm4, the fallback where no PMU answers, the rate the
// kernel allows.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/run_info.h"

namespace perfgap {

struct SamplingEvent {
  perf_event_attr attr{};  // ready for perf_event_open but for the rate
  EventInfo info;
  std::string weight_type;  // "cpu" for clocks, else the event's name
  std::string weight_unit;  // "nanoseconds" for clocks, else "count"
};

// Resolves `name` and makes sure that it can be opened on this machine. `cycles`, with any
// modifiers, becomes `cpu-clock` where the PMU is missing; any other event that cannot be opened is
// an error.
Result<SamplingEvent> resolve_event(const std::string& name);

// A timer interrupt costs some 10 us on a virtual machine: beyond this rate sampling takes most of
// every CPU, and at the limit that kernels come with (100,000 Hz) a machine does little else.
inline constexpr std::uint64_t kHighestRateHz = 20'000;

// The rate to ask the kernel for: `asked_hz`, or the kernel's limit or 20,000 Hz where that is
// lower.
std::uint64_t allowed_rate_hz(std::uint64_t asked_hz);

// CPUs that are online now, ascending.
std::vector<std::uint32_t> online_cpus();
// "0-3,6" as in /sys/devices/system/cpu/online.
std::vector<std::uint32_t> parse_cpu_list(const std::string& text);

// perf_event_open(2) with close-on-exec; a descriptor, or -1 with errno.
int open_perf_event(perf_event_attr& attr, std::int32_t pid, std::int32_t cpu);

}  // namespace perfgap
