// Confidence intervals of one profile's shares (interval.h), and the beta and t distributions they
// need.
#include "analyzers/interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace perfgap {
namespace {

constexpr double kZ = 1.959964;
constexpr std::size_t kWindows = 10;
constexpr std::size_t kDriftWindows = 20;
constexpr double kDriftThreshold = 0.3;
constexpr double kMinimumSamples = 20;
// (t(.975, 9) / z)^2: ten windows know the variance only as well as nine degrees of freedom can.
constexpr double kWindowPenalty = 1.33214;
constexpr double kTail = 0.025;

template <std::size_t count>
std::array<Slice, count> windows_of(std::span<const Slice> slices) {
  std::array<Slice, count> windows{};
  for (std::size_t index = 0; index < count; ++index) {
    const auto [begin, end] = window_bounds(index, count, slices.size());
    for (const Slice& slice : slices.subspan(begin, end - begin)) {
      windows[index].hits += slice.hits;
      windows[index].samples += slice.samples;
    }
  }
  return windows;
}

Slice sum_of(std::span<const Slice> slices) {
  Slice sum;
  for (const Slice& slice : slices) {
    sum.hits += slice.hits;
    sum.samples += slice.samples;
  }
  return sum;
}

// No hit at all: one-sided, since 0 itself is known to be reachable.
double upper_bound_of_none(double n) {
  return 1 - std::pow(kTail, 1 / n);
}

// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr int kMaximumTerms = 100'000;  // needs about sqrt(max(a, b))
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= kMaximumTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double change = d * c;
    fraction *= change;
    if (std::abs(change - 1) < 4 * std::numeric_limits<double>::epsilon()) break;
  }
  return fraction;
}

double student_cdf(double t, double df) {
  const double tail = 0.5 * beta_cdf(df / (df + t * t), df / 2, 0.5);
  return t < 0 ? tail : 1 - tail;
}

// The point where the ascending `cdf` passes `p`, to the last bit that a double holds.
template <typename Cdf>
double bisect(double low, double high, double p, Cdf cdf) {
  for (int step = 0; step < 2'000; ++step) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (cdf(middle) < p ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace

std::pair<std::size_t, std::size_t> window_bounds(std::size_t index, std::size_t count,
                                                  std::size_t length) {
  return {index * length / count, (index + 1) * length / count};
}

double design_effect(std::span<const Slice> slices, double n) {
  const Slice sum = sum_of(slices);
  if (sum.hits <= 0 || sum.hits >= sum.samples) return 1;
  const double p = sum.hits / sum.samples;
  double squares = 0;
  for (const Slice& window : windows_of<kWindows>(slices)) {
    const double residual = window.hits - p * window.samples;
    squares += residual * residual;
  }
  const double windows = kWindows;
  const double variance = windows / (windows - 1) * squares / (sum.samples * sum.samples);
  return std::max(1.0, variance * n / (p * (1 - p)));
}

Interval share_interval(std::span<const Slice> slices, double n, double deff_if_none) {
  const Slice sum = sum_of(slices);
  if (slices.size() < kWindows || !(n >= kMinimumSamples) || sum.samples <= 0) return {};
  const double n_if_none = n / (kWindowPenalty * std::max(1.0, deff_if_none));
  if (sum.hits <= 0) return {.low = 0, .high = upper_bound_of_none(n_if_none), .known = true};
  if (sum.hits >= sum.samples) {
    return {.low = 1 - upper_bound_of_none(n_if_none), .high = 1, .known = true};
  }
  const double effective = n / (kWindowPenalty * design_effect(slices, n));
  const double hits = sum.hits / sum.samples * effective;
  return hits >= 5 && effective >= 30 ? wilson(hits, effective) : clopper_pearson(hits, effective);
}

bool share_moves(std::span<const Slice> slices) {
  if (slices.size() < kDriftWindows) return false;
  const Slice sum = sum_of(slices);
  if (sum.samples <= 0) return false;
  const double p = sum.hits / sum.samples;
  double squares = 0;
  double products = 0;
  double previous = 0;
  for (const Slice& window : windows_of<kDriftWindows>(slices)) {
    const double residual = window.hits - p * window.samples;
    squares += residual * residual;
    products += residual * previous;
    previous = residual;
  }
  return squares > 0 && products / squares > kDriftThreshold;
}

Interval wilson(double hits, double n) {
  if (!(n > 0)) return {};
  const double p = hits / n;
  const double z2 = kZ * kZ;
  const double centre = p + z2 / (2 * n);
  const double half_width = kZ * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  const double scale = 1 + z2 / n;
  return {.low = std::max(0.0, (centre - half_width) / scale),
          .high = std::min(1.0, (centre + half_width) / scale),
          .known = true};
}

Interval clopper_pearson(double hits, double n) {
  if (!(n > 0)) return {};
  Interval interval{.low = 0, .high = 1, .known = true};
  if (hits > 0) interval.low = beta_quantile(kTail, hits, n - hits + 1);
  if (hits < n) interval.high = beta_quantile(1 - kTail, hits + 1, n - hits);
  return interval;
}

double beta_cdf(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  const double front = std::exp(log_front);
  // The fraction converges fast on its own side of the mean only.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double beta_quantile(double p, double a, double b) {
  return bisect(0, 1, p, [&](double x) { return beta_cdf(x, a, b); });
}

double student_quantile(double p, double df) {
  if (p < 0.5) return -student_quantile(1 - p, df);
  double high = 1;
  while (student_cdf(high, df) < p && high < 1e100) high *= 2;
  return bisect(0, high, p, [&](double t) { return student_cdf(t, df); });
}

}  // namespace perfgap
