// What must hold for every profile and rule set, tried on random ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analyzers/analysis.h"
#include "tests/analyzers/rules.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::mt19937_64 random_;
};

std::string letter(Dice& dice) {
  return std::string(1, static_cast<char>('a' + dice.below(8)));
}

// Rules over the functions a to h, with every key that changes a decision.
CategoryRules random_rules(Dice& dice) {
  static const std::vector<std::string> kIds = {"gc",      "gc.minor", "gc.major", "app.user",
                                                "sys.net", "kernel",   "interp",   "unattributed"};
  std::string text;
  const std::size_t count = 1 + dice.below(8);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string id = "category = '" + kIds[dice.below(kIds.size())] + "'\n";
    text += "[[rule]]\n";
    if (dice.one_in(6)) {
      text += id + "thread = '^t" + std::to_string(dice.below(3)) + "'\n";
      continue;
    }
    text += "function = '^" + letter(dice) + "$'\n";
    if (dice.one_in(4)) text += "under = '" + letter(dice) + "'\n";
    if (dice.one_in(5)) text += "where = 'leaf'\n";
    if (dice.one_in(6)) text += "thread = '^t" + std::to_string(dice.below(3)) + "'\n";
    if (dice.one_in(4)) {
      text += "transparent = true\n";
      if (dice.one_in(2)) text += id;
      continue;
    }
    text += id;
    if (dice.one_in(2)) text += "covers = true\n";
  }
  return rules_from(text);
}

Profile random_profile(Dice& dice) {
  ProfileBuilder builder;
  const std::size_t rows = 1 + dice.below(60);
  for (std::size_t i = 0; i < rows; ++i) {
    std::string stack;
    const std::size_t depth = dice.below(7);
    const std::size_t user = depth == 0 ? 0 : dice.below(depth + 1);
    for (std::size_t j = 0; j < depth; ++j) {
      if (!stack.empty()) stack += ';';
      if (dice.one_in(9)) {
        stack += "?lib+0x" + std::to_string(dice.below(4) + 1);
      } else {
        stack += letter(dice);
      }
      if (j >= user) stack += "_[k]";
    }
    const std::size_t tid = dice.below(4);
    builder.row(stack, static_cast<std::int64_t>(dice.below(5)),
                {.thread = "t" + std::to_string(tid),
                 .tid = tid,
                 .time_ms = static_cast<std::uint32_t>(dice.below(100)) * 10});
  }
  return builder.take();
}

void check_categories(const Analysis& analysis) {
  std::int64_t rollup_sum = 0;
  std::int64_t samples = 0;
  for (std::size_t i = 0; i < analysis.categories.size(); ++i) {
    const CategoryShare& row = analysis.categories[i];
    EXPECT_LE(row.spent_in, row.passes_through) << row.name;
    EXPECT_LE(row.passes_through, analysis.total) << row.name;
    EXPECT_LE(row.spent_in_interval.low, row.spent_in_share) << row.name;
    EXPECT_GE(row.spent_in_interval.high, row.spent_in_share) << row.name;
    if (!row.is_rollup) continue;
    rollup_sum += row.spent_in;
    samples += row.samples;
    std::int64_t spent_sum = 0;
    std::int64_t through_sum = 0;
    std::int64_t through_max = 0;
    std::size_t parts = 0;
    for (std::size_t j = i + 1; j < analysis.categories.size() && !analysis.categories[j].is_rollup;
         ++j, ++parts) {
      spent_sum += analysis.categories[j].spent_in;
      through_sum += analysis.categories[j].passes_through;
      through_max = std::max(through_max, analysis.categories[j].passes_through);
    }
    if (parts == 0) continue;
    EXPECT_EQ(row.spent_in, spent_sum) << row.name;
    EXPECT_LE(row.passes_through, through_sum) << row.name;
    EXPECT_GE(row.passes_through, through_max) << row.name;
  }
  EXPECT_EQ(rollup_sum, analysis.total);
  EXPECT_EQ(samples, analysis.samples);
}

void check_other_tables(const Analysis& analysis, const Profile& profile) {
  std::int64_t self_sum = 0;
  for (const FunctionShare& function : analysis.functions) {
    self_sum += function.self;
    EXPECT_LE(function.self, function.total) << function.name;
    EXPECT_LE(function.total, analysis.total) << function.name;
  }
  std::int64_t without_stack = 0;
  for (std::size_t i = 0; i < profile.samples().size(); ++i) {
    if (profile.samples().stack[i].is_none()) without_stack += profile.samples().values[1][i];
  }
  EXPECT_EQ(self_sum + without_stack, analysis.total);
  std::int64_t thread_sum = 0;
  for (const ThreadShare& thread : analysis.threads) thread_sum += thread.weight;
  EXPECT_EQ(thread_sum, analysis.total);
}

// Shares sum to the total, no inclusive share exceeds it, and roll-ups lie between their largest
// part and the sum.
TEST(Invariants, TotalsInEqualTotalsOut) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const CategoryRules rules = random_rules(dice);
    const Profile profile = random_profile(dice);
    const Analysis analysis = analyze(profile, rules);
    EXPECT_EQ(analysis.total, profile.total(profile.default_value_index()));
    check_categories(analysis);
    check_other_tables(analysis, profile);
  }
}

// Every sample has one category, which is a real one and among those it passes through.
TEST(Invariants, EachSampleHasOneCategory) {
  for (std::uint64_t seed = 1000; seed < 1400; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const CategoryRules rules = random_rules(dice);
    const Profile profile = random_profile(dice);
    const CategoryMarks marks = mark(profile, rules);
    ASSERT_EQ(marks.spent_in.size(), profile.samples().size());
    ASSERT_EQ(marks.passes_through.size(), profile.samples().size());
    for (std::size_t i = 0; i < marks.spent_in.size(); ++i) {
      EXPECT_FALSE(marks.spent_in[i].category.is_none());
      const auto& set = marks.category_sets[marks.passes_through[i]];
      EXPECT_TRUE(std::ranges::binary_search(set, marks.spent_in[i].category));
      EXPECT_TRUE(std::ranges::is_sorted(set));
    }
  }
}

// A sample's verdict does not depend on what else is in the profile: alone it is the same.
TEST(Invariants, SamplesAreJudgedAlone) {
  for (std::uint64_t seed = 2000; seed < 2050; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const CategoryRules rules = random_rules(dice);
    std::vector<std::string> stacks;
    std::vector<RowOptions> threads;
    ProfileBuilder together;
    for (int i = 0; i < 20; ++i) {
      std::string stack = letter(dice);
      for (std::size_t depth = dice.below(5); depth > 0; --depth) stack += ";" + letter(dice);
      if (dice.one_in(2)) stack += ";" + letter(dice) + "_[k]";
      stacks.push_back(stack);
      threads.push_back({.thread = "t" + std::to_string(dice.below(4))});
      together.row(stack, 1, threads.back());
    }
    const Profile profile = together.take();
    const CategoryMarks marks = mark(profile, rules);
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      const Profile alone = ProfileBuilder().row(stacks[i], 1, threads[i]).take();
      const CategoryMarks own = mark(alone, rules);
      EXPECT_EQ(own.spent_in[0].category, marks.spent_in[i].category) << stacks[i];
      EXPECT_EQ(own.spent_in[0].rule, marks.spent_in[i].rule) << stacks[i];
      EXPECT_EQ(own.spent_in[0].step, marks.spent_in[i].step) << stacks[i];
      EXPECT_EQ(own.category_sets[own.passes_through[0]],
                marks.category_sets[marks.passes_through[i]])
          << stacks[i];
    }
  }
}

}  // namespace
}  // namespace perfgap
