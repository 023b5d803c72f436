// StackClaims.
#include "analyzers/stack_claims.h"

#include <algorithm>
#include <utility>

namespace perfgap {

StackClaims::StackClaims(const Profile& profile, const FrameRules& frame_rules,
                         std::vector<RuleIndex> thread_rules, SetTable& category_sets)
    : profile_(profile),
      frame_rules_(frame_rules),
      compiled_(frame_rules.compiled()),
      category_sets_(category_sets),
      thread_rules_(std::move(thread_rules)) {
  const std::size_t count = profile.stack_count();
  rule_.resize(count, kNoRule);
  ancestors_.resize(count);
  categories_.resize(count);
  kernel_.resize(count);
  all_.resize(count);
  user_.resize(count);
  for (std::size_t i = 1; i < count; ++i) {
    const StackId node(i);
    const StackId parent = profile.node(node).parent;
    ancestors_[i] = frame_rules.conditions().unite(
        ancestors_[parent.index()],
        frame_rules.fulfilled(profile.frame(profile.node(parent).frame).function));
    rule_[i] = claim(node, false);
    categories_[i] = add_category(categories_[parent.index()], rule_[i]);
    all_[i] = extend(all_[parent.index()], node, rule_[i]);
    if (is_kernel(node)) {
      kernel_[i] = extend(kernel_base(node), node, rule_[i]);
      user_[i] = user_[parent.index()];
    } else {
      user_[i] = all_[i];
    }
  }
}

bool StackClaims::is_kernel(StackId node) const {
  return profile_.frame(profile_.node(node).frame).kind == FrameKind::kernel;
}

StackClaims::Walk StackClaims::kernel_base(StackId node) const {
  const StackId parent = profile_.node(node).parent;
  return is_kernel(parent) ? kernel_[parent.index()] : Walk{};
}

bool StackClaims::holds(RuleIndex rule, StackId node, bool is_leaf) const {
  const RuleMatcher& matcher = compiled_.matchers[rule];
  if (matcher.is_unconditional()) return true;
  if (matcher.where == RulePosition::leaf && !is_leaf) return false;
  if (matcher.where == RulePosition::root && !profile_.node(node).parent.is_none()) return false;
  if (matcher.under != RuleMatcher::kNotUnder &&
      !frame_rules_.conditions().contains(ancestors_[node.index()], matcher.under)) {
    return false;
  }
  return matcher.threads.empty() || std::ranges::binary_search(thread_rules_, rule);
}

RuleIndex StackClaims::claim(StackId node, bool is_leaf) const {
  for (const RuleIndex rule : frame_rules_.candidates(profile_.node(node).frame)) {
    if (holds(rule, node, is_leaf)) return rule;
  }
  return kNoRule;
}

SetId StackClaims::add_category(SetId set, RuleIndex rule) const {
  if (rule == kNoRule || compiled_.matchers[rule].category.is_none()) return set;
  return category_sets_.with(set, compiled_.matchers[rule].category.index());
}

StackClaims::Walk StackClaims::extend(const Walk& outer, StackId node, RuleIndex rule) const {
  Walk walk = outer;
  walk.innermost = node;
  if (rule == kNoRule) {
    walk.first = node;
  } else if (!compiled_.matchers[rule].transparent) {
    walk.first = node;
    walk.decider = node;
    walk.rule = rule;
  }
  return walk;
}

bool StackClaims::decides(const Walk& walk) const {
  return walk.rule != kNoRule &&
         (walk.decider == walk.first || compiled_.matchers[walk.rule].covers);
}

Attribution StackClaims::decided(const Walk& walk, DecisionStep directly) const {
  return {.category = compiled_.matchers[walk.rule].category,
          .rule = walk.rule,
          .frame = profile_.node(walk.decider).frame,
          .step = walk.decider == walk.first ? directly : DecisionStep::covering_rule};
}

Attribution StackClaims::attribute(StackId leaf, RuleIndex thread_root) const {
  Walk kernel;
  Walk user;
  if (!leaf.is_none()) {
    const RuleIndex rule = claim(leaf, true);
    const StackId parent = profile_.node(leaf).parent;
    if (is_kernel(leaf)) {
      kernel = extend(kernel_base(leaf), leaf, rule);
      user = user_[parent.index()];
    } else {
      user = extend(all_[parent.index()], leaf, rule);
    }
  }
  const Attribution kernel_other{.category = compiled_.kernel_other,
                                 .step = DecisionStep::kernel_other};
  if (!kernel.first.is_none()) {
    return decides(kernel) ? decided(kernel, DecisionStep::kernel_frame) : kernel_other;
  }
  if (thread_root != kNoRule) {
    return {.category = compiled_.matchers[thread_root].category,
            .rule = thread_root,
            .step = DecisionStep::thread_root};
  }
  if (decides(user)) return decided(user, DecisionStep::user_frame);
  if (user.innermost.is_none() && !leaf.is_none()) return kernel_other;
  // Nothing but transparent frames: the innermost of them tells whether there are names.
  const StackId named_or_not = user.first.is_none() ? user.innermost : user.first;
  const Frame& frame = profile_.frame(profile_.node(named_or_not).frame);
  if (profile_.function(frame.function).name.is_none()) {
    return {.category = compiled_.unsymbolised, .step = DecisionStep::unsymbolised};
  }
  return {.category = compiled_.unattributed, .step = DecisionStep::unattributed};
}

SetId StackClaims::categories(StackId leaf) const {
  if (leaf.is_none()) return 0;
  return add_category(categories_[profile_.node(leaf).parent.index()], claim(leaf, true));
}

}  // namespace perfgap
