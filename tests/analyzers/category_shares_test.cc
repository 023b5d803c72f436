// The category table: rows, roll-ups, intervals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzers/analysis.h"
#include "tests/analyzers/rules.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

const CategoryShare& row(const Analysis& analysis, const std::string& name, bool is_rollup) {
  const auto found = std::ranges::find_if(analysis.categories, [&](const CategoryShare& share) {
    return share.name == name && share.is_rollup == is_rollup;
  });
  EXPECT_NE(found, analysis.categories.end()) << name;
  return *found;
}

std::vector<std::string> names(const std::vector<CategoryShare>& rows) {
  std::vector<std::string> names;
  for (const CategoryShare& share : rows)
    names.push_back((share.is_rollup ? "" : "  ") + share.name);
  return names;
}

// Roll-ups by weight, each with its rows by weight; the fixed rows are there without a sample, and
// last.
TEST(Categories, RowsAreOrdered) {
  const CategoryRules rules = rules_for({"interp", "gc.minor", "full.x", "~mem.copy"});
  const Profile profile = folded_profile(
      "interp 5\nmain;gc 7\nfull 8\nfull;mem 1\nhelper 20\n?lib+0x1 1\ninterp;sys_[k] 2\n");
  const Analysis analysis = analyze(profile, rules);
  EXPECT_EQ(names(analysis.categories),
            (std::vector<std::string>{"full", "  full.x", "gc", "  gc.minor", "interp", "kernel",
                                      "  kernel.other", "mem", "  mem.copy", "unattributed",
                                      "unsymbolised"}));
  EXPECT_EQ(row(analysis, "full", true).samples, 9);
  EXPECT_EQ(row(analysis, "mem.copy", false).spent_in, 0);
  EXPECT_EQ(row(analysis, "mem.copy", false).passes_through, kSampleNs);
  EXPECT_DOUBLE_EQ(row(analysis, "unattributed", true).spent_in_share, 20.0 / 44);

  const Profile empty = folded_profile("");
  EXPECT_EQ(names(analyze(empty, rules).categories),
            (std::vector<std::string>{"kernel", "  kernel.other", "unattributed", "unsymbolised"}));
}

// A roll-up's passes-through is a union: a sample through two of its parts counts once.
TEST(Categories, RollUpsCountSamplesOnce) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'dispatch.call'\nfunction = '^call$'\n"
      "[[rule]]\ncategory = 'dispatch.property'\nfunction = '^get$'\n");
  const Profile profile = folded_profile("call;get 10\ncall 5\nget 1\nmain 4\n");
  const Analysis analysis = analyze(profile, rules);
  EXPECT_EQ(row(analysis, "dispatch", true).passes_through, 16 * kSampleNs);
  EXPECT_EQ(row(analysis, "dispatch.call", false).passes_through, 15 * kSampleNs);
  EXPECT_EQ(row(analysis, "dispatch.property", false).passes_through, 11 * kSampleNs);
  EXPECT_EQ(row(analysis, "dispatch", true).spent_in, 16 * kSampleNs);
  EXPECT_DOUBLE_EQ(row(analysis, "dispatch", true).passes_through_share, 0.8);
}

// A category with and without a dot keeps both rows under its roll-up.
TEST(Categories, UndottedBesideDotted) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'app'\nfunction = '^a$'\n[[rule]]\ncategory = 'app.lib'\nfunction = "
      "'^b$'\n");
  const Analysis analysis = analyze(folded_profile("a 2\nb 3\n"), rules);
  std::vector<std::string> first_rows = names(analysis.categories);
  first_rows.resize(3);
  EXPECT_EQ(first_rows, (std::vector<std::string>{"app", "  app.lib", "  app"}));
}

// Intervals contain their share, and are those of the share's windows; without times there are
// none.
TEST(Categories, IntervalsNeedTimes) {
  const CategoryRules rules = rules_for({"app", "gc"});
  const Profile timed = ProfileBuilder().steady("app", 400, 10).steady("gc", 100, 40).take();
  const CategoryShare gc = row(analyze(timed, rules), "gc", true);
  EXPECT_TRUE(gc.spent_in_interval.known);
  const Interval expected = wilson(100 / 1.33214, 500 / 1.33214);  // steady: no design effect
  EXPECT_NEAR(gc.spent_in_interval.low, expected.low, 1e-9);
  EXPECT_NEAR(gc.spent_in_interval.high, expected.high, 1e-9);

  const Analysis untimed = analyze(folded_profile("app 400\ngc 100\n"), rules);
  EXPECT_FALSE(row(untimed, "gc", true).spent_in_interval.known);
}

// A row of many samples is worth as many as it stands for; unequal weights are worth fewer.
TEST(Categories, EffectiveCountOfWeights) {
  const CategoryRules rules = rules_for({"app", "gc"});
  ProfileBuilder one_by_one;
  ProfileBuilder merged;
  for (std::uint32_t step = 0; step < 100; ++step) {
    for (int i = 0; i < 5; ++i) one_by_one.row("app", 1, {.time_ms = step * 10});
    one_by_one.row("gc", 1, {.time_ms = step * 10});
    merged.row("app", 5, {.time_ms = step * 10}).row("gc", 1, {.time_ms = step * 10});
  }
  const Interval single = row(analyze(one_by_one.take(), rules), "gc", true).spent_in_interval;
  const Interval joined = row(analyze(merged.take(), rules), "gc", true).spent_in_interval;
  EXPECT_DOUBLE_EQ(single.low, joined.low);
  EXPECT_DOUBLE_EQ(single.high, joined.high);

  Profile uneven;
  uneven.set_value_types({{uneven.intern("samples"), uneven.intern("count")},
                          {uneven.intern("cycles"), uneven.intern("count")}});
  for (std::uint32_t step = 0; step < 100; ++step) {
    uneven.add({.stack = {},
                .thread = {},
                .time_ms = step * 10,
                .labels = {},
                .values = {1, step % 2 == 0 ? 100 : 1}});
  }
  const Analysis analysis = analyze(uneven, rules);
  // (50 * 101)^2 / (50 * 10,001) = 51 samples' worth.
  const double n = 50.0 * 101 * 101 / 10'001;
  EXPECT_NEAR(row(analysis, "unattributed", true).spent_in_interval.high,
              1 - std::pow(0.025, 1.33214 / n), 1e-9);
}

// A share that moves from one half of the run to the other is said to move.
TEST(Categories, SaysWhenTheLargestMoves) {
  const CategoryRules rules = rules_for({"app", "gc"});
  ProfileBuilder moving;
  ProfileBuilder steady;
  for (std::uint32_t step = 0; step < 1000; ++step) {
    moving.row(step < 500 ? "app" : "gc", 1, {.time_ms = step * 10});
    steady.row(step % 3 != 0 ? "app" : "gc", 1, {.time_ms = step * 10});
  }
  EXPECT_TRUE(analyze(moving.take(), rules).share_moving);
  EXPECT_FALSE(analyze(steady.take(), rules).share_moving);
}

}  // namespace
}  // namespace perfgap
