// How figures are written; the rules stand in the header.
#include "reports/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace perfgap {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr double kZ = 1.959964;

int scale(int decimals) {
  return decimals == 0 ? 1 : 10;
}

std::string number(std::int64_t units, int decimals) {
  if (decimals == 0) return fmt::format("{}", units);
  return fmt::format("{}.{}", units / 10, units % 10);
}

std::int64_t points_up(double share, int decimals) {
  return static_cast<std::int64_t>(std::ceil(share * 100 * scale(decimals) - 1e-9));
}

std::int64_t points_down(double share, int decimals) {
  return static_cast<std::int64_t>(std::floor(share * 100 * scale(decimals) + 1e-9));
}

std::int64_t points_near(double share, int decimals) {
  return static_cast<std::int64_t>(std::llround(share * 100 * scale(decimals)));
}

std::string scaled(std::int64_t count) {
  if (count < 1'000'000) return grouped(count);
  const double millions = static_cast<double>(count) / 1e6;
  return millions < 1000 ? fmt::format("{:.3g} M", millions)
                         : fmt::format("{:.2f} G", millions / 1000);
}

}  // namespace

std::string grouped(std::int64_t number) {
  const std::uint64_t magnitude =
      number < 0 ? -static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  std::string digits = fmt::format("{}", magnitude);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return number < 0 ? "-" + digits : digits;
}

std::vector<std::int64_t> apportion(std::span<const std::int64_t> weights, std::int64_t units) {
  std::vector<std::int64_t> parts(weights.size(), 0);
  Wide total = 0;
  for (const std::int64_t weight : weights) total += static_cast<std::uint64_t>(weight);
  if (total == 0) return parts;

  std::vector<Wide> remainders(weights.size());
  std::int64_t left = units;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Wide exact = static_cast<Wide>(weights[i]) * static_cast<Wide>(units);
    parts[i] = static_cast<std::int64_t>(exact / total);
    remainders[i] = exact % total;
    left -= parts[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return remainders[a] != remainders[b] ? remainders[a] > remainders[b] : a < b;
  });
  for (std::size_t i = 0; left > 0; ++i, --left) ++parts[order[i]];
  return parts;
}

std::vector<std::int64_t> apportion_points(std::span<const Part> parts, std::int64_t tenths) {
  std::vector<std::int64_t> coarse;
  std::vector<std::int64_t> fine;
  Wide coarse_total = 0;
  Wide fine_total = 0;
  for (const Part& part : parts) {
    const bool whole = part.decimals == 0;
    coarse.push_back(whole ? part.weight : 0);
    fine.push_back(whole ? 0 : part.weight);
    (whole ? coarse_total : fine_total) += static_cast<std::uint64_t>(part.weight);
  }
  std::int64_t points = tenths / 10;  // of the coarse ones together
  if (fine_total > 0) {
    const Wide total = coarse_total + fine_total;
    const Wide nearest = (coarse_total * static_cast<Wide>(tenths) + 5 * total) / (10 * total);
    points = std::min(points, static_cast<std::int64_t>(nearest));
  }
  const std::vector<std::int64_t> whole_points = apportion(coarse, points);
  std::vector<std::int64_t> units = apportion(fine, tenths - (coarse_total > 0 ? 10 * points : 0));
  for (std::size_t i = 0; i < units.size(); ++i) units[i] += 10 * whole_points[i];
  return units;
}

int decimals_for(double half_width) {
  return half_width < 9.95 ? 1 : 0;
}

int decimals_for_samples(std::int64_t samples) {
  if (samples <= 0) return 0;
  return decimals_for(100 * kZ * std::sqrt(0.25 / static_cast<double>(samples)));
}

std::int64_t share_units(double share, int decimals) {
  const std::int64_t whole = std::int64_t{100} * scale(decimals);
  const std::int64_t units = points_near(share, decimals);
  return share < 1 ? std::min(units, whole - 1) : units;
}

std::string percent(std::int64_t units, int decimals) {
  return number(units, decimals) + " %";
}

std::string percent_of(double part, double whole, int decimals) {
  if (!(whole > 0) || !std::isfinite(part) || !std::isfinite(whole)) {
    return std::string(kNotAvailable);
  }
  const std::int64_t units = share_units(part / whole, decimals);
  if (units == 0 && part > 0) return "< " + percent(1, decimals);
  return percent(units, decimals);
}

std::string percent_of(std::int64_t part, std::int64_t whole) {
  return percent_of(static_cast<double>(part), static_cast<double>(whole),
                    decimals_for_samples(whole));
}

double half_width_points(const Interval& interval) {
  return interval.known ? 50 * (interval.high - interval.low) : 0;
}

std::string interval_text(double share, const Interval& interval, int decimals) {
  if (!interval.known) return {};
  if (share <= 0)
    return "< " + number(std::max<std::int64_t>(1, points_up(interval.high, decimals)), decimals);
  if (share >= 1) return "> " + number(points_down(interval.low, decimals), decimals);
  const double half = (interval.high - interval.low) / 2;
  const double lean = std::abs((interval.high + interval.low) / 2 - share);
  if (lean > half / 4) {
    return fmt::format("[{}, {}]", number(points_near(interval.low, decimals), decimals),
                       number(points_near(interval.high, decimals), decimals));
  }
  return "± " + number(std::max<std::int64_t>(1, points_near(half, decimals)), decimals);
}

std::string seconds(std::uint64_t milliseconds) {
  const double value = static_cast<double>(milliseconds) / 1000;
  return milliseconds < 1000 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value);
}

std::string cores(double cores) {
  return std::isfinite(cores) ? fmt::format("{:.2f}", cores) : std::string(kNotAvailable);
}

std::string weight_text(std::int64_t weight, std::string_view unit) {
  if (unit != "nanoseconds") return scaled(weight);
  const double ms = static_cast<double>(weight) / 1e6;
  if (ms >= 1000) return fmt::format("{:.2f} s", ms / 1000);
  return ms >= 10 ? fmt::format("{:.0f} ms", ms) : fmt::format("{:.1f} ms", ms);
}

std::string plural(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : many);
}

}  // namespace perfgap
