// explain(): which rules match a symbol, and where its samples ended up.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzers/categories.h"
#include "analyzers/function_groups.h"
#include "analyzers/measures.h"
#include "analyzers/stack_claims.h"

namespace perfgap {
namespace {

class Explainer {
 public:
  Explainer(const Profile& profile, const CategoryMarks& marks, std::string_view symbol)
      : profile_(profile),
        marks_(marks),
        symbol_(symbol),
        measures_(profile, profile.default_value_index()),
        groups_(profile) {
    for (std::size_t i = 0; i < groups_.groups().size(); ++i) {
      const FunctionGroup& group = groups_.groups()[i];
      if (!group.name.is_none() &&
          profile.text(group.name).find(symbol) != std::string_view::npos) {
        Explanation& explanation = found_[i].explanation;
        explanation.function = profile.text(group.name);
        explanation.module = profile.text(group.module);
      }
    }
  }

  std::vector<Explanation> run() {
    if (found_.empty()) return {};
    find_rules();
    find_outcomes();
    count_totals();
    std::vector<Explanation> result;
    for (auto& [group, found] : found_) result.push_back(std::move(found.explanation));
    std::ranges::sort(result, {}, [&](const Explanation& explanation) {
      return std::tuple(explanation.function != symbol_, -explanation.total_samples,
                        std::string_view(explanation.function),
                        std::string_view(explanation.module), -explanation.self_samples);
    });
    return result;
  }

 private:
  // What one decision has in common: category, rule, step and the name that decided.
  using OutcomeKey = std::tuple<CategoryId, RuleIndex, DecisionStep, std::string>;
  struct Found {
    Explanation explanation;
    std::set<RuleIndex> rules;
    std::map<OutcomeKey, Explanation::Outcome> outcomes;
  };

  Found* found(StackId node) {
    const auto at = found_.find(groups_.of(profile_.node(node).frame));
    return at == found_.end() ? nullptr : &at->second;
  }

  // Rules by their whole condition, at every place on the stacks where the function stands.
  void find_rules() {
    const FrameRules frame_rules(profile_, marks_.rules->compiled());
    SetTable sets;
    const StackClaims claims(profile_, frame_rules, rules_of_all_threads(frame_rules), sets);
    std::vector<bool> is_leaf(profile_.stack_count());
    for (const StackId leaf : profile_.samples().stack) is_leaf[leaf.index()] = true;
    for (std::size_t i = 1; i < profile_.stack_count(); ++i) {
      const StackId node(i);
      Found* const at = found(node);
      if (at == nullptr) continue;
      for (const RuleIndex rule : frame_rules.candidates(profile_.node(node).frame)) {
        if (claims.holds(rule, node, is_leaf[i])) at->rules.insert(rule);
      }
    }
    for (auto& [group, at] : found_) {
      at.explanation.matching_rules.assign(at.rules.begin(), at.rules.end());
    }
  }

  [[nodiscard]] std::vector<RuleIndex> rules_of_all_threads(const FrameRules& frame_rules) const {
    std::set<std::string_view> names;
    for (const ThreadId thread : profile_.samples().thread) {
      names.insert(profile_.text(profile_.thread(thread).name));
    }
    std::set<RuleIndex> rules;
    for (const std::string_view name : names) {
      const ThreadRules of_thread = frame_rules.thread_rules(name);
      rules.insert(of_thread.also_frame.begin(), of_thread.also_frame.end());
    }
    return {rules.begin(), rules.end()};
  }

  void find_outcomes() {
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const StackId leaf = profile_.samples().stack[i];
      Found* const at = leaf.is_none() ? nullptr : found(leaf);
      if (at == nullptr) continue;
      const Attribution& attribution = marks_.spent_in[i];
      std::string decider =
          attribution.frame.is_none() ? std::string() : display_name(profile_, attribution.frame);
      const auto [outcome, is_new] = at->outcomes.try_emplace(
          {attribution.category, attribution.rule, attribution.step, decider},
          Explanation::Outcome{attribution, decider, 0});
      outcome->second.samples += measures_.count(i);
      at->explanation.self_samples += measures_.count(i);
    }
    for (auto& [group, at] : found_) {
      for (auto& [key, outcome] : at.outcomes) at.explanation.spent_in.push_back(outcome);
      std::ranges::sort(at.explanation.spent_in, {}, [](const Explanation::Outcome& outcome) {
        return std::tuple(-outcome.samples, outcome.attribution.category, outcome.attribution.rule,
                          outcome.attribution.step, std::string_view(outcome.deciding_function));
      });
    }
  }

  void count_totals() {
    const auto below =
        weight_below(profile_, [&](std::size_t sample) { return measures_.count(sample); });
    for_each_outermost(profile_, groups_, [&](StackId node, std::size_t group) {
      const auto at = found_.find(group);
      if (at != found_.end()) at->second.explanation.total_samples += below[node.index()];
    });
  }

  const Profile& profile_;
  const CategoryMarks& marks_;
  std::string_view symbol_;
  Measures measures_;
  FunctionGroups groups_;
  std::map<std::size_t, Found> found_;  // by function group
};

}  // namespace

std::vector<Explanation> explain(const Profile& profile, const CategoryMarks& marks,
                                 std::string_view symbol) {
  return Explainer(profile, marks, symbol).run();
}

}  // namespace perfgap
