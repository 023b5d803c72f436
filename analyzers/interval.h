// Confidence intervals of one profile's shares: Wilson and Clopper-Pearson with a design effect
// from time windows.
//
// Method: ten windows of the run's 10 ms slices give the variance of a share between windows; its
// ratio to the binomial variance (never below 1) shrinks the sample size that the interval is
// formed with (docs/explanation/intervals.md).
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace perfgap {

// A 95 % interval of a share, ends in [0, 1]. `known` is false where the run is too short or too
// small for one (fewer than ten slices or twenty samples): then only counts may be shown.
struct Interval {
  double low = 0;
  double high = 1;
  bool known = false;
};

// Hits and samples of one 10 ms slice, or of one window.
struct Slice {
  double hits = 0;
  double samples = 0;
};

// Shares of `slices` in ten windows; see the header. `n` is the effective sample count (sum w)^2 /
// sum w^2. `deff_if_none` is the design effect to use when there is no hit at all (the largest
// among well-filled categories).
Interval share_interval(std::span<const Slice> slices, double n, double deff_if_none = 1.0);
// Design effect of a share over ten windows, >= 1; 1 where every sample hits or none does.
double design_effect(std::span<const Slice> slices, double n);
// Whether the share still wanders within the run: the lag-1 autocorrelation of its residuals over
// twenty windows is above 0.3. False in 5 % of steady runs; always false for fewer than twenty
// slices.
bool share_moves(std::span<const Slice> slices);

// Slices of window `index` out of `count` over a run of `length` slices: [first, second).
std::pair<std::size_t, std::size_t> window_bounds(std::size_t index, std::size_t count,
                                                  std::size_t length);

Interval wilson(double hits, double n);  // z = 1.959964
Interval clopper_pearson(double hits,
                         double n);  // 95 %, exact beta quantiles; hits and n may be fractional

double beta_cdf(double x, double a, double b);       // regularised incomplete beta
double beta_quantile(double p, double a, double b);  // by bisection
double student_quantile(double p, double df);        // by bisection

}  // namespace perfgap
