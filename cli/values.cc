#include "cli/values.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace perfgap {
namespace {

constexpr std::uint64_t kLargestPid = 1U << 22;  // PID_MAX_LIMIT, include/linux/threads.h
constexpr double kLongestSeconds = 7.0 * 24 * 3600;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(const std::string& text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Unit, 5> kUnits{{{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}}};
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Unit& unit : kUnits) {
    if (error != std::errc{} || suffix != unit.name) continue;
    const double seconds = number * unit.seconds;
    if (!(seconds >= 1e-3) || seconds > kLongestSeconds)
      return usage_error(fmt::format("duration '{}': must be at least 1ms and at most 168h", text));
    return std::chrono::milliseconds(std::llround(seconds * 1e3));
  }
  return usage_error(
      fmt::format("duration '{}': not a time; write for example 10, 500ms, 2m or 1h", text));
}

Result<std::uint64_t> parse_rate_hz(const std::string& text) {
  const auto rate_hz = whole_number(text);
  if (!rate_hz || *rate_hz == 0)
    return usage_error(fmt::format(
        "rate '{}': not a whole number of samples per second from 1 on; the default is 499", text));
  return *rate_hz;
}

Result<std::uint64_t> parse_pid(const std::string& text) {
  const auto pid = whole_number(text);
  if (!pid || *pid == 0 || *pid > kLargestPid)
    return usage_error(
        fmt::format("pid '{}': not a process id (1 to {}); find it with pgrep", text, kLargestPid));
  return *pid;
}

}  // namespace perfgap
