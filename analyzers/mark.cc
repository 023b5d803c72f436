// mark(): claims once per kind of thread, then one pass over the samples.
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzers/categories.h"
#include "analyzers/stack_claims.h"

namespace perfgap {
namespace {

// What deciding a sample needs to know of its thread.
struct ThreadContext {
  RuleIndex root = kNoRule;
  SetId root_categories = 0;
  const StackClaims* claims = nullptr;
};

class Marker {
 public:
  Marker(const Profile& profile, const CategoryRules& rules)
      : profile_(profile), rules_(rules), frame_rules_(profile, rules.compiled()) {}

  CategoryMarks run() {
    CategoryMarks marks;
    marks.rules = &rules_;
    const SampleColumns& samples = profile_.samples();
    marks.spent_in.reserve(samples.size());
    marks.passes_through.reserve(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const ThreadContext& thread = context(samples.thread[i]);
      const Attribution attribution = thread.claims->attribute(samples.stack[i], thread.root);
      const SetId on_stack =
          sets_.unite(thread.claims->categories(samples.stack[i]), thread.root_categories);
      marks.passes_through.push_back(sets_.with(on_stack, attribution.category.index()));
      marks.spent_in.push_back(attribution);
    }
    for (SetId set = 0; set < sets_.size(); ++set) {
      auto& categories = marks.category_sets.emplace_back();
      for (const std::uint32_t category : sets_.elements(set)) categories.emplace_back(category);
    }
    const StackClaims& of_any_thread = claims({});
    marks.node_rule.reserve(profile_.stack_count());
    for (std::size_t i = 0; i < profile_.stack_count(); ++i) {
      marks.node_rule.push_back(of_any_thread.inner_rule(StackId(i)));
    }
    return marks;
  }

 private:
  const ThreadContext& context(ThreadId thread) {
    const StringId name = profile_.thread(thread).name;
    const auto [found, is_new] = contexts_.try_emplace(name);
    if (is_new) {
      ThreadRules rules = frame_rules_.thread_rules(profile_.text(name));
      ThreadContext& context = found->second;
      context.root = rules.root;
      if (rules.root != kNoRule) {
        const CategoryId category = rules_.compiled().matchers[rules.root].category;
        context.root_categories = sets_.singleton(category.index());
      }
      context.claims = &claims(std::move(rules.also_frame));
    }
    return found->second;
  }

  const StackClaims& claims(std::vector<RuleIndex> thread_rules) {
    auto& claims = claims_[thread_rules];
    if (!claims) {
      claims =
          std::make_unique<StackClaims>(profile_, frame_rules_, std::move(thread_rules), sets_);
    }
    return *claims;
  }

  const Profile& profile_;
  const CategoryRules& rules_;
  FrameRules frame_rules_;
  SetTable sets_;
  std::unordered_map<StringId, ThreadContext> contexts_;
  std::map<std::vector<RuleIndex>, std::unique_ptr<StackClaims>> claims_;
};

}  // namespace

CategoryMarks mark(const Profile& profile, const CategoryRules& rules) {
  return Marker(profile, rules).run();
}

}  // namespace perfgap
