// Option values as people write them: durations with units, rates, process ids.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "model/error.h"

namespace perfgap {

// "10", "1.5s", "500ms", "2m", "1h"; a bare number is seconds. More than zero, at most seven days.
Result<std::chrono::milliseconds> parse_duration(const std::string& text);

// Samples per second: a whole number from 1 on. What the kernel does not allow is clamped later.
Result<std::uint64_t> parse_rate_hz(const std::string& text);

// A process id: a whole number from 1 to 2^22, the largest that Linux gives out.
Result<std::uint64_t> parse_pid(const std::string& text);

}  // namespace perfgap
