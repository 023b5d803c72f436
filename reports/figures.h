// How figures are written: exact rounding, thousands separators, and no more digits than an
// interval supports.
//
// The rule for digits of a percentage: a half-width shows at most two significant digits and the
// figure stops where its half-width does, never beyond one decimal: 9 % ± 12, 27.4 % ± 1.4,
// 0.2 % ± 0.1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/interval.h"

namespace perfgap {

inline constexpr std::string_view kNotAvailable = "n/a";

std::string grouped(std::int64_t number);  // "4,987"

// Splits `units` in proportion to non-negative weights by largest remainders: the parts sum to
// `units` exactly (to 0 if all weights are 0), each is within one unit of its exact value, and a
// weight of 0 gets 0.
std::vector<std::int64_t> apportion(std::span<const std::int64_t> weights, std::int64_t units);

// A figure that is to be one of several whose sum is known.
struct Part {
  std::int64_t weight = 0;
  int decimals = 1;  // 0: whole points only
};
// The same for percentages, in tenths of a point. Parts without decimals are rounded to points, the
// others make up for what that takes or leaves, in proportion. If all parts with decimals weigh
// nothing, `tenths` must be whole points.
std::vector<std::int64_t> apportion_points(std::span<const Part> parts, std::int64_t tenths);

// Decimals that a percentage with this half-width (in points) may show: 1 or 0.
int decimals_for(double half_width);
// The same for shares of n samples without an interval of their own, by the worst binomial
// half-width.
int decimals_for_samples(std::int64_t samples);

// A share in [0, 1] in units of its last digit: 0.2741 with one decimal is 274. A share that is not
// all never becomes the whole.
std::int64_t share_units(double share, int decimals);
std::string percent(std::int64_t units, int decimals);  // "27.4 %"

// "27.4 %"; "< 0.1 %" where a share above 0 would print as 0; "n/a" if whole is 0.
std::string percent_of(std::int64_t part, std::int64_t whole);
std::string percent_of(double part, double whole, int decimals);

// "± 1.4"; "< 0.1" for a share of 0 and "> 99.9" for a share of 1; "[0.1, 0.4]" where the interval
// leans so far to one side that ± would mislead (by more than a quarter of its half-width); "" if
// unknown.
std::string interval_text(double share, const Interval& interval, int decimals);
double half_width_points(const Interval& interval);  // 0 if unknown

std::string seconds(std::uint64_t milliseconds);  // "10.0"; "0.25" below one second
std::string cores(double cores);                  // "0.99"
// CPU time for people: "9.93 s", "12 ms"; other units as "4,987", "12.4 M", "9.84 G".
std::string weight_text(std::int64_t weight, std::string_view unit);
std::string plural(std::int64_t count, std::string_view one, std::string_view many);  // "1 child"

}  // namespace perfgap
