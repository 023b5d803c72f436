// Figures: rounding that keeps sums, and digits that the interval supports.
#include "reports/figures.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "reports/function_name.h"

namespace perfgap {
namespace {

using Parts = std::vector<std::int64_t>;

TEST(Figures, GroupsThousands) {
  // Separators every three digits, from the right, whatever the sign.
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1000), "-1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(INT64_MIN), "-9,223,372,036,854,775,808");
}

// Parts sum to the whole exactly, lie within one unit of their exact value, and nothing gets
// nothing.
TEST(Figures, ApportionsByLargestRemainders) {
  EXPECT_EQ(apportion(Parts{1, 1, 1}, 1000), (Parts{334, 333, 333}));
  EXPECT_EQ(apportion(Parts{0, 5, 0}, 1000), (Parts{0, 1000, 0}));
  EXPECT_EQ(apportion(Parts{0, 0}, 1000), (Parts{0, 0}));
  EXPECT_EQ(apportion(Parts{INT64_MAX, INT64_MAX}, 1000), (Parts{500, 500}));
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    Parts weights(1 + random() % 40);
    for (auto& weight : weights)
      weight = static_cast<std::int64_t>(random() % 3 == 0 ? 0 : random() % 100'000);
    const auto total =
        static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::int64_t{0}));
    if (total == 0) continue;
    const Parts parts = apportion(weights, 1000);
    ASSERT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), 1000) << seed;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double exact = 1000 * static_cast<double>(weights[i]) / total;
      ASSERT_LT(std::abs(static_cast<double>(parts[i]) - exact), 1.0) << seed;
      if (weights[i] == 0) {
        ASSERT_EQ(parts[i], 0) << seed;
      }
    }
  }
}

// Parts known to whole points only are rounded to them; the others make up for it, and all sum.
TEST(Figures, ApportionsPointsOfMixedPrecision) {
  EXPECT_EQ(apportion_points(std::vector<Part>{{274, 1}, {91, 0}, {635, 1}}, 1000),
            (Parts{274, 90, 636}));
  EXPECT_EQ(apportion_points(std::vector<Part>{{496, 0}, {400, 0}, {104, 1}}, 1000),
            (Parts{500, 400, 100}));
  EXPECT_EQ(apportion_points(std::vector<Part>{{1, 0}, {2, 0}}, 90), (Parts{30, 60}));
  EXPECT_EQ(apportion_points(std::vector<Part>{{1, 1}, {2, 1}}, 91), (Parts{30, 61}));
  EXPECT_EQ(apportion_points(std::vector<Part>{}, 91), Parts{});
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    std::vector<Part> parts(2 + random() % 10);
    std::int64_t total = 0;
    for (Part& part : parts) {
      part = {static_cast<std::int64_t>(random() % 10'000), static_cast<int>(random() % 2)};
      total += part.weight;
    }
    parts[0] = {1 + parts[0].weight, 1};
    ++total;
    const Parts tenths = apportion_points(parts, 1000);
    ASSERT_EQ(std::accumulate(tenths.begin(), tenths.end(), std::int64_t{0}), 1000) << seed;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double exact =
          1000.0 * static_cast<double>(parts[i].weight) / static_cast<double>(total);
      ASSERT_LT(std::abs(static_cast<double>(tenths[i]) - exact), 15) << seed;
      if (parts[i].decimals == 0) {
        ASSERT_EQ(tenths[i] % 10, 0) << seed;
      }
    }
  }
}

// A half-width of ten points or more leaves no decimal; a smaller one leaves one.
TEST(Figures, DigitsFollowTheInterval) {
  EXPECT_EQ(decimals_for(12), 0);
  EXPECT_EQ(decimals_for(9.96), 0);  // would print as 10.0
  EXPECT_EQ(decimals_for(1.2), 1);
  EXPECT_EQ(decimals_for(0.04), 1);
  EXPECT_EQ(decimals_for_samples(96), 0);
  EXPECT_EQ(decimals_for_samples(100), 1);
}

// The form of an interval: ± where it is even, both ends where it leans, a bound where there is
// nothing or all.
TEST(Figures, IntervalsShowTheirShape) {
  EXPECT_EQ(interval_text(0.274, {0.260, 0.288, true}, 1), "± 1.4");
  EXPECT_EQ(interval_text(0.40, {0.28, 0.52, true}, 0), "± 12");
  EXPECT_EQ(interval_text(0.002, {0.0009, 0.0046, true}, 1), "[0.1, 0.5]");
  EXPECT_EQ(interval_text(0, {0, 0.0007, true}, 1), "< 0.1");
  EXPECT_EQ(interval_text(0, {0, 0.0013, true}, 1), "< 0.2");
  EXPECT_EQ(interval_text(0, {0, 0.063, true}, 0), "< 7");
  EXPECT_EQ(interval_text(1, {0.9987, 1, true}, 1), "> 99.8");
  EXPECT_EQ(interval_text(0.5, {0.49999, 0.50001, true}, 1), "± 0.1");  // never ± 0.0
  EXPECT_EQ(interval_text(0.5, {0, 1, false}, 1), "");
}

// Something never prints as nothing, nor less than all as all, nor nothing of nothing as a number.
TEST(Figures, PercentagesDoNotLie) {
  EXPECT_EQ(percent_of(std::int64_t{1}, std::int64_t{100'000}), "< 0.1 %");
  EXPECT_EQ(percent_of(std::int64_t{99'999}, std::int64_t{100'000}), "99.9 %");
  EXPECT_EQ(percent_of(std::int64_t{100}, std::int64_t{100}), "100.0 %");
  EXPECT_EQ(percent_of(std::int64_t{0}, std::int64_t{500}), "0.0 %");
  EXPECT_EQ(percent_of(std::int64_t{1}, std::int64_t{3}), "33 %");
  EXPECT_EQ(percent_of(std::int64_t{0}, std::int64_t{0}), "n/a");
}

TEST(Figures, UnitsSuitTheSize) {
  // Nanoseconds print as ms or s; counts scale in thousands.
  EXPECT_EQ(weight_text(9'930'000'000, "nanoseconds"), "9.93 s");
  EXPECT_EQ(weight_text(12'400'000, "nanoseconds"), "12 ms");
  EXPECT_EQ(weight_text(2'004'000, "nanoseconds"), "2.0 ms");
  EXPECT_EQ(weight_text(12'400'000, "count"), "12.4 M");
  EXPECT_EQ(weight_text(999'999, "count"), "999,999");
  EXPECT_EQ(weight_text(9'844'000'000, "count"), "9.84 G");
  EXPECT_EQ(seconds(10'000), "10.0");
  EXPECT_EQ(seconds(250), "0.25");
}

// A long name loses its parameters, then its template arguments, then its middle; a short one loses
// nothing.
TEST(FunctionName, LosesWhatSaysLeast) {
  const std::string_view name =
      "v8::Scavenger::Scavenge<Slot<int> >(Slot<int>, Object (*)()) const";
  EXPECT_EQ(shorten_name(name, 80), name);
  EXPECT_EQ(shorten_name(name, 40), "v8::Scavenger::Scavenge<Slot<int> >");
  EXPECT_EQ(shorten_name(name, 30), "v8::Scavenger::Scavenge<…>");
  EXPECT_EQ(shorten_name(name, 11), "v8::S…ge<…>");
  EXPECT_EQ(shorten_name("(anonymous function)", 12), "(anony…tion)");
  EXPECT_EQ(shorten_name("std::operator<<(std::ostream&, char)", 20), "std::operator<<");
  EXPECT_EQ(shorten_name("operator->aaaaaaaaaaaa", 11), "opera…aaaaa");
}

}  // namespace
}  // namespace perfgap
