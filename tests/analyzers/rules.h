// Rule sets and marks for tests, from text.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/categories.h"
#include "model/profile.h"

namespace perfgap::testing_support {

// One file's rules; the text begins after `runtime`, on line 2.
inline CategoryRules rules_from(std::string_view rules_text) {
  const std::vector<RuleSource> sources = {
      {"test.toml", "runtime = 'test'\n" + std::string(rules_text), RulePrecedence::runtime}};
  auto rules = CategoryRules::load(sources);
  EXPECT_TRUE(rules.has_value()) << (rules ? "" : rules.error().message);
  if (!rules) std::abort();
  return *std::move(rules);
}

// Names a whole function each: gc.minor claims the function "gc", microtask the function
// "microtask", ... A leading '~' makes it transparent, a leading '+' lets it cover.
inline CategoryRules rules_for(const std::vector<std::string>& claims) {
  std::string text;
  for (std::string claim : claims) {
    const char mark = claim.front();
    if (mark == '~' || mark == '+') claim.erase(0, 1);
    const std::string function = claim.substr(0, claim.find('.'));
    text += "[[rule]]\ncategory = '" + claim + "'\nfunction = '^" + function + "$'\n";
    if (mark == '~') text += "transparent = true\n";
    if (mark == '+') text += "covers = true\n";
  }
  return rules_from(text);
}

// CPU samples by the category that they are spent in, or pass through.
inline std::int64_t spent_in(const Profile& profile, const CategoryMarks& marks,
                             std::string_view category) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < profile.samples().size(); ++i) {
    if (marks.rules->name(marks.spent_in[i].category) == category) {
      count += profile.samples().values[0][i];
    }
  }
  return count;
}

inline std::int64_t passes_through(const Profile& profile, const CategoryMarks& marks,
                                   std::string_view category) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < profile.samples().size(); ++i) {
    for (const CategoryId id : marks.category_sets[marks.passes_through[i]]) {
      if (marks.rules->name(id) == category) count += profile.samples().values[0][i];
    }
  }
  return count;
}

}  // namespace perfgap::testing_support
