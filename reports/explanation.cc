// `profile explain`: for each function the rules that match it, and what decided the samples it was
// running in.
#include "reports/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/utf8.h"
#include "reports/figures.h"
#include "reports/text_layout.h"

namespace perfgap {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kExplanationSchema = "perfgap.explain/1";
constexpr std::size_t kWidth = 80;
constexpr std::size_t kMostFunctions = 20;  // in text; a longer name says which one is meant

std::string place_of(const Rule& rule) {
  return fmt::format("{}:{}", rule.source, rule.line);
}

std::string category_of(const Rule& rule, const CategoryRules& rules) {
  return rule.category.is_none() ? "transparent" : std::string(rules.name(rule.category));
}

void print_matching_rules(Page& page, const Explanation& explanation, const CategoryRules& rules) {
  if (explanation.matching_rules.empty()) {
    page.facts(std::vector<std::string>{"no rule matches it"}, "  ");
    return;
  }
  Table table({{.heading = "matching rule"},
               {.heading = "category"},
               {.heading = "checked on", .shrinks = true}});
  for (const std::int32_t index : explanation.matching_rules) {
    const Rule& rule = rules.rules()[static_cast<std::size_t>(index)];
    table.add_row({place_of(rule), category_of(rule, rules), rule.verified});
  }
  page.table(table);
}

void print_outcomes(Page& page, const Explanation& explanation, const CategoryRules& rules) {
  if (explanation.spent_in.empty()) return;
  page.blank();
  Table table({{.heading = "samples", .align = Align::right},
               {.heading = "spent in"},
               {.heading = "by"},
               {.heading = "rule"},
               {.heading = "on", .shrinks = true}});
  for (const Explanation::Outcome& outcome : explanation.spent_in) {
    const Attribution& attribution = outcome.attribution;
    const bool by_rule = attribution.rule >= 0;
    table.add_row(
        {grouped(outcome.samples), std::string(rules.name(attribution.category)),
         std::string(to_string(attribution.step)),
         by_rule ? place_of(rules.rules()[static_cast<std::size_t>(attribution.rule)]) : "",
         outcome.deciding_function});
  }
  page.table(table);
}

std::string_view step_key(DecisionStep step) {
  switch (step) {
    case DecisionStep::kernel_frame:
      return "kernel_frame";
    case DecisionStep::kernel_other:
      return "kernel_other";
    case DecisionStep::thread_root:
      return "thread_root";
    case DecisionStep::user_frame:
      return "user_frame";
    case DecisionStep::covering_rule:
      return "covering_rule";
    case DecisionStep::unattributed:
      return "unattributed";
    case DecisionStep::unsymbolised:
      break;
  }
  return "unsymbolised";
}

Json rule_json(std::int32_t index, const CategoryRules& rules) {
  if (index < 0) return nullptr;
  const Rule& rule = rules.rules()[static_cast<std::size_t>(index)];
  return {{"source", escape_to_utf8(rule.source)},
          {"line", rule.line},
          {"category", rule.category.is_none() ? Json(nullptr)
                                               : Json(escape_to_utf8(rules.name(rule.category)))},
          {"verified", escape_to_utf8(rule.verified)}};
}

Json explanation_json(const Explanation& explanation, const CategoryRules& rules) {
  Json matching = Json::array();
  for (const std::int32_t rule : explanation.matching_rules)
    matching.push_back(rule_json(rule, rules));
  Json spent_in = Json::array();
  for (const Explanation::Outcome& outcome : explanation.spent_in) {
    spent_in.push_back({{"category", escape_to_utf8(rules.name(outcome.attribution.category))},
                        {"samples", outcome.samples},
                        {"step", step_key(outcome.attribution.step)},
                        {"rule", rule_json(outcome.attribution.rule, rules)},
                        {"deciding_function", escape_to_utf8(outcome.deciding_function)}});
  }
  return {{"function", escape_to_utf8(explanation.function)},
          {"module", escape_to_utf8(explanation.module)},
          {"self_samples", explanation.self_samples},
          {"total_samples", explanation.total_samples},
          {"matching_rules", std::move(matching)},
          {"spent_in", std::move(spent_in)}};
}

}  // namespace

std::string explanations_text(const std::vector<Explanation>& explanations,
                              const CategoryRules& rules) {
  Page page(kWidth, false);
  const std::size_t shown = std::min(explanations.size(), kMostFunctions);
  for (std::size_t i = 0; i < shown; ++i) {
    const Explanation& explanation = explanations[i];
    page.blank();
    page.facts(std::vector{explanation.function, explanation.module});
    page.facts(std::vector{"self " + plural(explanation.self_samples, "sample", "samples"),
                           "total " + plural(explanation.total_samples, "sample", "samples")},
               "  ");
    page.blank();
    print_matching_rules(page, explanation, rules);
    print_outcomes(page, explanation, rules);
  }
  if (explanations.size() > shown) {
    page.blank();
    page.paragraph("", plural(static_cast<std::int64_t>(explanations.size() - shown),
                              "more function has", "more functions have") +
                           " this in the name; give a longer one, or --json for all");
  }
  return std::move(page).text();
}

std::string explanations_json(const std::vector<Explanation>& explanations,
                              const CategoryRules& rules) {
  Json functions = Json::array();
  for (const Explanation& explanation : explanations)
    functions.push_back(explanation_json(explanation, rules));
  const Json report = {{"schema", kExplanationSchema},
                       {"rule_hash", rules.hash()},
                       {"functions", std::move(functions)}};
  return report.dump(2) + "\n";
}

}  // namespace perfgap
