// `profile explain`: the rules that match a function and the decisions over its samples, as text
// and JSON.
#include "reports/explanation.h"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "columns.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using nlohmann::json;

constexpr std::string_view kRules = R"(verified = "test@1"

[[rule]]
category = "gc.minor"
function = "^scavenge"
covers = true

[[rule]]
category = "app.user"
function = "^handle"
)";

CategoryRules rules() {
  const std::array sources = {RuleSource{
      .name = "test.toml", .text = std::string(kRules), .precedence = RulePrecedence::user}};
  auto loaded = CategoryRules::load(sources);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return std::move(*loaded);
}

struct Explained {
  CategoryRules rules = perfgap::rules();
  Profile profile;
  std::vector<Explanation> explanations;

  Explained(std::string_view folded, std::string_view symbol)
      : profile(testing_support::folded_profile(folded)),
        explanations(explain(profile, mark(profile, rules), symbol)) {}
  [[nodiscard]] std::string text() const { return explanations_text(explanations, rules); }
};

// The winning rule with its file and line, and the rule that decided each sample.
TEST(Explanation, NamesRuleAndDecision) {
  const Explained explained("main;handle;scavenge;helper 30\nmain;handle;helper 1\n", "helper");
  const std::string text = explained.text();

  EXPECT_NE(text.find("helper   /bin/app\n  self 31 samples   total 31 samples\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("no rule matches it\n"), std::string::npos) << text;
  EXPECT_NE(text.find("     30  gc.minor "), std::string::npos) << text;
  EXPECT_NE(text.find("test.toml:3"), std::string::npos) << text;

  const Explained claimed("main;handle 5\n", "handle");
  EXPECT_NE(claimed.text().find("  test.toml:8    app.user"), std::string::npos) << claimed.text();
}

// JSON carries the same, with stable names for the steps.
TEST(Explanation, JsonCarriesTheSame) {
  const Explained explained("main;handle;scavenge;helper 30\n", "helper");
  const json report = json::parse(explanations_json(explained.explanations, explained.rules));

  EXPECT_EQ(report["schema"], "perfgap.explain/1");
  const json& outcome = report["functions"][0]["spent_in"][0];
  EXPECT_EQ(outcome["category"], "gc.minor");
  EXPECT_EQ(outcome["samples"], 30);
  EXPECT_EQ(outcome["step"], "covering_rule");
  EXPECT_EQ(outcome["rule"]["source"], "test.toml");
  EXPECT_EQ(outcome["rule"]["verified"], "test@1");
  EXPECT_EQ(outcome["deciding_function"], "scavenge");
}

// Many matches are cut in text, and said to be; none of a hostile name's bytes reaches the
// terminal.
TEST(Explanation, StaysOnOneScreenAndSafe) {
  std::string folded;
  for (int i = 0; i < 50; ++i)
    folded += "main;fn\x1b[31m" + std::to_string(i) + std::string(100, 'x') + " 1\n";
  const Explained explained(folded, "fn");
  const std::string text = explained.text();

  EXPECT_NE(text.find("\n30 more functions have this in the name"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    ASSERT_LE(columns_of(text.substr(begin, end - begin)), 80);
    ASSERT_GE(columns_of(text.substr(begin, end - begin)), 0);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace perfgap
