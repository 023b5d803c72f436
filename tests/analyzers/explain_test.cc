// profile explain: which rules match a symbol, and where its samples went.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzers/categories.h"
#include "tests/analyzers/rules.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

// Samples of a function are grouped by what decided them, most first.
TEST(Explain, GroupsSamplesByDecision) {
  const CategoryRules rules = rules_for({"app", "+gc"});
  const Profile profile =
      folded_profile("app;helper 2\ngc;helper 5\ngc;helper;leaf 1\ngc;helper;helper 1\n");
  const auto found = explain(profile, mark(profile, rules), "helper");

  ASSERT_EQ(found.size(), 1U);
  const Explanation& helper = found[0];
  EXPECT_EQ(helper.function, "helper");
  EXPECT_EQ(helper.module, "/bin/app");
  EXPECT_TRUE(helper.matching_rules.empty());
  EXPECT_EQ(helper.self_samples, 8);
  EXPECT_EQ(helper.total_samples, 9);  // the recursive sample once
  ASSERT_EQ(helper.spent_in.size(), 2U);
  EXPECT_EQ(rules.name(helper.spent_in[0].attribution.category), "gc");
  EXPECT_EQ(helper.spent_in[0].attribution.step, DecisionStep::covering_rule);
  EXPECT_EQ(helper.spent_in[0].deciding_function, "gc");
  EXPECT_EQ(helper.spent_in[0].samples, 6);
  EXPECT_EQ(rules.name(helper.spent_in[1].attribution.category), "unattributed");
  EXPECT_EQ(helper.spent_in[1].deciding_function, "");
  EXPECT_EQ(helper.spent_in[1].samples, 2);
}

// All rules that match are listed in order of precedence; those that ask for a place match where it
// is met.
TEST(Explain, ListsMatchingRules) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'a'\nfunction = 'cycle'\nunder = '^minor$'\n"
      "[[rule]]\ncategory = 'b'\nfunction = 'cycle'\nunder = '^full$'\n"
      "[[rule]]\ncategory = 'c'\nfunction = 'cycle'\nthread = '^GC$'\n"
      "[[rule]]\ncategory = 'd'\nfunction = 'cycle'\nwhere = 'leaf'\n"
      "[[rule]]\ncategory = 'e'\nfunction = 'cycle'\n"
      "[[rule]]\ncategory = 'f'\nfunction = 'cy'\n");
  const auto matching = [&](const std::string& stack, const std::string& thread) {
    const Profile profile = folded_profile(stack + " 1", {.thread = thread});
    return explain(profile, mark(profile, rules), "cycle").at(0).matching_rules;
  };
  EXPECT_EQ(matching("minor;cycle", "main"), (std::vector<std::int32_t>{0, 3, 4, 5}));
  EXPECT_EQ(matching("full;cycle;x", "GC"), (std::vector<std::int32_t>{1, 2, 4, 5}));
}

// A part of a name is enough; the exact name comes first, then the busiest.
TEST(Explain, FindsPartsOfNames) {
  const CategoryRules rules = rules_for({"app"});
  const Profile profile = folded_profile("read_all 5\nread 1\nthread 9\nwrite 3\n");
  std::vector<std::string> names;
  for (const auto& found : explain(profile, mark(profile, rules), "read")) {
    names.push_back(found.function);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"read", "thread", "read_all"}));
  EXPECT_TRUE(explain(profile, mark(profile, rules), "nothing").empty());
}

}  // namespace
}  // namespace perfgap
