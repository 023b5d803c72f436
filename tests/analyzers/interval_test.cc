// Intervals against worked numbers, and against worlds whose share is known.
#include "analyzers/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace perfgap {
namespace {

// "To four digits": a relative error below half a unit of the fourth.
void expect_digits(double actual, double expected) {
  EXPECT_NEAR(actual, expected, 5.1e-4 * std::abs(expected));
}

std::vector<Slice> windows(const std::vector<double>& hits, const std::vector<double>& samples) {
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < hits.size(); ++i) slices.push_back({hits[i], samples[i]});
  return slices;
}

const std::vector<double> kSamples = {498, 501, 499, 500, 502, 497, 500, 499, 501, 503};

// Student's t has the quantiles of every table.
TEST(Distributions, StudentQuantiles) {
  expect_digits(student_quantile(0.975, 1), 12.7062);
  expect_digits(student_quantile(0.975, 2), 4.3027);
  expect_digits(student_quantile(0.975, 3), 3.1824);
  expect_digits(student_quantile(0.975, 9), 2.2622);
  EXPECT_NEAR(student_quantile(0.5, 9), 0, 1e-9);
  EXPECT_NEAR(student_quantile(0.025, 9), -student_quantile(0.975, 9), 1e-12);
  // The window penalty of the method is (t(.975, 9) / z)^2.
  expect_digits(std::pow(student_quantile(0.975, 9) / 1.959964, 2), 1.33214);
}

// The incomplete beta function has closed forms at whole parameters, a symmetry, and an inverse.
TEST(Distributions, BetaAgreesWithClosedForms) {
  for (const double x : {0.01, 0.2, 0.5, 0.77, 0.999}) {
    EXPECT_NEAR(beta_cdf(x, 1, 1), x, 1e-12);
    EXPECT_NEAR(beta_cdf(x, 4, 1), std::pow(x, 4), 1e-12);
    EXPECT_NEAR(beta_cdf(x, 1, 7), 1 - std::pow(1 - x, 7), 1e-12);
    EXPECT_NEAR(beta_cdf(x, 3.5, 1234.5), 1 - beta_cdf(1 - x, 1234.5, 3.5), 1e-12);
    EXPECT_NEAR(beta_cdf(beta_quantile(x, 2.5, 40), 2.5, 40), x, 1e-9);
  }
  EXPECT_EQ(beta_cdf(0, 2, 3), 0);
  EXPECT_EQ(beta_cdf(1, 2, 3), 1);
}

// Clopper-Pearson and Wilson, for hits and samples as they are.
TEST(Proportions, WorkedExamples) {
  const Interval exact = clopper_pearson(2, 25);
  expect_digits(exact.low, 0.009840);
  expect_digits(exact.high, 0.2603);
  const Interval score = wilson(237, 4990);
  expect_digits(score.low, 0.04193);
  expect_digits(score.high, 0.05375);
}

// A share that scatters a little more than chance between windows: Wilson with a design effect.
TEST(ShareInterval, SteadyShare) {
  const auto slices = windows({20, 31, 18, 25, 29, 16, 33, 22, 27, 19}, kSamples);
  expect_digits(design_effect(slices, 5000), 1.4869);
  const Interval interval = share_interval(slices, 5000);
  EXPECT_TRUE(interval.known);
  expect_digits(interval.low, 0.04033);
  expect_digits(interval.high, 0.05705);
}

// A share that comes in three bursts is worth 1.8 hits, so the exact interval applies.
TEST(ShareInterval, BurstyShare) {
  const auto slices = windows({0, 0, 31, 0, 2, 0, 0, 40, 1, 0}, kSamples);
  expect_digits(design_effect(slices, 5000), 30.791);
  const double effective = 5000 / (1.33214 * design_effect(slices, 5000));
  expect_digits(effective, 121.90);
  expect_digits(74.0 / 5000 * effective, 1.8041);
  const Interval interval = share_interval(slices, 5000);
  expect_digits(interval.low, 0.001516);
  expect_digits(interval.high, 0.05552);
}

// Without a hit the upper end borrows the design effect of others; the lower end is 0.
TEST(ShareInterval, NoHit) {
  const auto slices = windows(std::vector<double>(10, 0), kSamples);
  const Interval interval = share_interval(slices, 5000, 3);
  EXPECT_TRUE(interval.known);
  EXPECT_EQ(interval.low, 0);
  expect_digits(interval.high, 0.002944);
}

// Where every sample hits, the interval is the mirror image of no hit.
TEST(ShareInterval, NothingButHits) {
  const Interval none = share_interval(windows(std::vector<double>(10, 0), kSamples), 5000, 3);
  const Interval all = share_interval(windows(kSamples, kSamples), 5000, 3);
  EXPECT_DOUBLE_EQ(all.low, 1 - none.high);
  EXPECT_EQ(all.high, 1);
}

// Fewer than ten slices or twenty samples give counts, not intervals.
TEST(ShareInterval, TooLittleToSay) {
  EXPECT_FALSE(share_interval(std::vector<Slice>(9, {5, 50}), 450).known);
  EXPECT_TRUE(share_interval(std::vector<Slice>(10, {5, 50}), 500).known);
  EXPECT_FALSE(share_interval(std::vector<Slice>(10, {1, 1.9}), 19).known);
  EXPECT_TRUE(share_interval(std::vector<Slice>(10, {1, 2}), 20).known);
  EXPECT_FALSE(share_interval(std::vector<Slice>(10), 100).known);
}

// Windows cover all slices once, and each pair of the twenty is one of the ten.
TEST(Windows, CoverTheRun) {
  for (const std::size_t length : {10, 19, 20, 37, 1000, 1003}) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < 10; ++i) {
      const auto [begin, end] = window_bounds(i, 10, length);
      EXPECT_EQ(begin, next);
      EXPECT_EQ(begin, window_bounds(2 * i, 20, length).first);
      EXPECT_EQ(end, window_bounds(2 * i + 1, 20, length).second);
      next = end;
    }
    EXPECT_EQ(next, length);
  }
}

// A design effect never makes a share look more certain than chance, and grows with clumping.
TEST(DesignEffect, IsAtLeastOne) {
  EXPECT_EQ(design_effect(std::vector<Slice>(100, {1, 5}), 500), 1);
  std::vector<Slice> clumped(100, {0, 5});
  for (std::size_t i = 0; i < 20; ++i) clumped[i].hits = 5;
  EXPECT_GT(design_effect(clumped, 500), 50);
}

// Ten seconds at 500 Hz, in 10 ms slices; `is_hit` says whether the work of interest runs at a
// time.
std::vector<Slice> sample_run(const std::function<bool(double seconds)>& is_hit) {
  std::vector<Slice> slices(1000);
  for (std::size_t i = 0; i < 5000; ++i) {
    Slice& slice = slices[i / 5];
    slice.samples += 1;
    if (is_hit(static_cast<double>(i) * 0.002)) slice.hits += 1;
  }
  return slices;
}

using World = std::function<std::vector<Slice>(std::mt19937_64&)>;

// Runs of a thousand whose interval contains the truth.
int covered(double truth, const World& world) {
  std::mt19937_64 random(20'240'917);
  int count = 0;
  for (int run = 0; run < 1000; ++run) {
    const Interval interval = share_interval(world(random), 5000, 1);
    EXPECT_TRUE(interval.known);
    if (interval.low <= truth && truth <= interval.high) ++count;
  }
  return count;
}

// 95 % intervals below 927 of 1000 happen once in a thousand.
constexpr int kLeastCovered = 927;

World independent(double share) {
  return [share](std::mt19937_64& random) {
    std::bernoulli_distribution hit(share);
    return sample_run([&](double) { return hit(random); });
  };
}

// Bursts of a fixed length begin at random.
World bursts(double per_second, double length_s) {
  return [=](std::mt19937_64& random) {
    std::exponential_distribution<double> gap(per_second);
    double begin = gap(random) - length_s;
    return sample_run([&, begin](double now) mutable {
      while (begin + length_s <= now) begin += length_s + gap(random);
      return begin <= now;
    });
  };
}

// Samples of independent work: the interval covers, rare shares included, and is at most a third
// wider than it must be.
TEST(Coverage, IndependentSamples) {
  for (const double share : {0.2, 0.05, 0.002}) {
    EXPECT_GE(covered(share, independent(share)), kLeastCovered) << share;
  }
  std::mt19937_64 random(1);
  double width = 0;
  for (int run = 0; run < 200; ++run) {
    const Interval interval = share_interval(independent(0.2)(random), 5000);
    width += (interval.high - interval.low) / 200;
  }
  const Interval ideal = wilson(1000, 5000);
  EXPECT_LT(width / (ideal.high - ideal.low), 1.4);
}

// Two bursts a second of 5 ms, as of a collector: the plain interval misses a fourth of the time,
// this one does not.
TEST(Coverage, BurstyWork) {
  const double length_s = 0.005;
  const double truth = length_s / (length_s + 0.5);
  EXPECT_GE(covered(truth, bursts(2, length_s)), kLeastCovered);

  std::mt19937_64 random(7);
  int plain = 0;
  for (int run = 0; run < 1000; ++run) {
    double hits = 0;
    for (const Slice& slice : bursts(2, length_s)(random)) hits += slice.hits;
    const Interval interval = wilson(hits, 5000);
    if (interval.low <= truth && truth <= interval.high) ++plain;
  }
  EXPECT_LT(plain, 850);  // else this world would not test the design effect
}

// Collections at fixed distances, wherever the run begins among them.
TEST(Coverage, PeriodicCollections) {
  const double period_s = 0.7;
  const double pause_s = 0.030;
  const World world = [=](std::mt19937_64& random) {
    const double phase = std::uniform_real_distribution<double>(0, period_s)(random);
    return sample_run([=](double now) { return std::fmod(now + phase, period_s) < pause_s; });
  };
  EXPECT_GE(covered(pause_s / period_s, world), kLeastCovered);
}

// A steady share is called moving in about 5 % of runs, one that wanders over seconds in most.
TEST(Drift, SeesAWanderingShare) {
  std::mt19937_64 random(11);
  int steady_flagged = 0;
  int wandering_flagged = 0;
  for (int run = 0; run < 1000; ++run) {
    steady_flagged += share_moves(independent(0.2)(random)) ? 1 : 0;
    std::normal_distribution<double> noise;
    double level = noise(random);
    const auto wander = [&](double now) {
      // An autoregressive level with a memory of one second, stepped every sample.
      level = level * std::exp(-0.002) + noise(random) * std::sqrt(1 - std::exp(-0.004));
      (void)now;
      return std::bernoulli_distribution(std::clamp(0.2 + 0.1 * level, 0.0, 1.0))(random);
    };
    wandering_flagged += share_moves(sample_run(wander)) ? 1 : 0;
  }
  EXPECT_LT(steady_flagged, 90);
  EXPECT_GT(wandering_flagged, 650);
  EXPECT_FALSE(share_moves(std::vector<Slice>(19, {1, 5})));
}

}  // namespace
}  // namespace perfgap
