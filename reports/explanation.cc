#include "reports/explanation.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "reports/figures.h"
#include "reports/unicode.h"

namespace perfgap {
namespace {

using Json = nlohmann::ordered_json;

const Rule* rule_at(std::int32_t index, const CategoryRules& rules) {
  return index < 0 ? nullptr : &rules.rules()[static_cast<std::size_t>(index)];
}

std::string category_of(const Rule& rule, const CategoryRules& rules) {
  return rule.category.is_none() ? "(transparent)" : std::string(rules.name(rule.category));
}

std::string place_of(const Rule& rule) {
  return fmt::format("{}:{}", printable(rule.source), rule.line);
}

std::string rule_line(const Rule& rule, const CategoryRules& rules) {
  return fmt::format("{:<20} {}{}", category_of(rule, rules), place_of(rule),
                     rule.verified.empty() ? "" : fmt::format("  (checked on {})", rule.verified));
}

// "by v8.toml:41, at Builtins_LoadIC (a user frame with a rule)".
std::string decision(const Explanation::Outcome& outcome, const CategoryRules& rules) {
  const Rule* rule = rule_at(outcome.attribution.rule, rules);
  const std::string_view step = to_string(outcome.attribution.step);
  if (rule == nullptr) return fmt::format("no rule ({})", step);
  return fmt::format("by {} at {} ({})", place_of(*rule), printable(outcome.deciding_function),
                     step);
}

void append_explanation(std::string& page, const Explanation& function,
                        const CategoryRules& rules) {
  page += fmt::format("{}  {}\n", printable(function.function), printable(function.module));
  if (function.matching_rules.empty()) page += "  claimed by   no rule\n";
  for (std::size_t i = 0; i < function.matching_rules.size(); ++i)
    page += fmt::format("  {}  {}\n", i == 0 ? "claimed by " : "also matches",
                        rule_line(*rule_at(function.matching_rules[i], rules), rules));
  page += fmt::format("  on the stack of {} samples, the innermost frame of {}\n",
                      grouped(function.total_samples), grouped(function.self_samples));
  for (const auto& outcome : function.spent_in)
    page += fmt::format("    {:>8}  {:<20} {}\n", grouped(outcome.samples),
                        rules.name(outcome.attribution.category), decision(outcome, rules));
}

Json rule_json(const Rule& rule, const CategoryRules& rules) {
  return {{"category", rule.category.is_none() ? Json() : Json(rules.name(rule.category))},
          {"source", printable(rule.source)},
          {"line", rule.line},
          {"verified", rule.verified}};
}

}  // namespace

std::string explanations_text(const std::vector<Explanation>& explanations,
                              const CategoryRules& rules) {
  std::string page;
  for (const Explanation& function : explanations) {
    if (!page.empty()) page += '\n';
    append_explanation(page, function, rules);
  }
  return page;
}

std::string explanations_json(const std::vector<Explanation>& explanations,
                              const CategoryRules& rules) {
  Json functions = Json::array();
  for (const Explanation& function : explanations) {
    Json matching = Json::array();
    for (const std::int32_t rule : function.matching_rules)
      matching.push_back(rule_json(*rule_at(rule, rules), rules));
    Json outcomes = Json::array();
    for (const auto& outcome : function.spent_in) {
      const Rule* rule = rule_at(outcome.attribution.rule, rules);
      outcomes.push_back({{"category", rules.name(outcome.attribution.category)},
                          {"samples", outcome.samples},
                          {"step", to_string(outcome.attribution.step)},
                          {"rule", rule == nullptr ? Json() : rule_json(*rule, rules)},
                          {"deciding_function", printable(outcome.deciding_function)}});
    }
    functions.push_back({{"function", printable(function.function)},
                         {"module", printable(function.module)},
                         {"matching_rules", std::move(matching)},
                         {"self_samples", function.self_samples},
                         {"total_samples", function.total_samples},
                         {"spent_in", std::move(outcomes)}});
  }
  return Json{{"schema", "perfgap.explain/1"}, {"functions", std::move(functions)}}.dump(2) + "\n";
}

}  // namespace perfgap
