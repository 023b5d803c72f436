// Which rule claims every frame of the stack trie for one kind of thread, and what that decides for
// stacks that end there. Private to this folder.
//
// One forward pass: a node's parent comes before it. A node's claim as the leaf may differ from its
// claim further out
// (`where = "leaf"`), so the passes hold the latter and the leaf is added per sample.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/frame_rules.h"

namespace perfgap {

class StackClaims {
 public:
  // `thread_rules`: rules with a thread and a frame that this thread fulfils, ascending.
  // `category_sets` interns the sets of categories, for all claims of a profile.
  StackClaims(const Profile& profile, const FrameRules& frame_rules,
              std::vector<RuleIndex> thread_rules, SetTable& category_sets);

  [[nodiscard]] RuleIndex inner_rule(StackId node) const { return rule_[node.index()]; }
  // Whether a candidate's demands on place and thread are met.
  [[nodiscard]] bool holds(RuleIndex rule, StackId node, bool is_leaf) const;

  // The verdict over a sample whose stack ends in `leaf`, by design rule: kernel frames alone if
  // there are any, else the thread's rule, else user frames.
  [[nodiscard]] Attribution attribute(StackId leaf, RuleIndex thread_root) const;
  // Categories of all frames of the stack.
  [[nodiscard]] SetId categories(StackId leaf) const;

 private:
  // Walking from a node outwards, transparent frames skipped.
  struct Walk {
    RuleIndex rule = kNoRule;  // of the first frame with one
    StackId decider;           // that frame's node
    StackId first;             // the first frame at all; none if all were transparent
    StackId innermost;         // the first frame, transparent or not; none if there was no frame
  };
  [[nodiscard]] Walk extend(const Walk& outer, StackId node, RuleIndex rule) const;
  [[nodiscard]] RuleIndex claim(StackId node, bool is_leaf) const;
  [[nodiscard]] SetId add_category(SetId set, RuleIndex rule) const;
  [[nodiscard]] bool is_kernel(StackId node) const;
  [[nodiscard]] Walk kernel_base(StackId node) const;
  [[nodiscard]] Attribution decided(const Walk& walk, DecisionStep directly) const;
  [[nodiscard]] bool decides(const Walk& walk) const;

  const Profile& profile_;
  const FrameRules& frame_rules_;
  const CategoryRules::Compiled& compiled_;
  SetTable& category_sets_;
  std::vector<RuleIndex> thread_rules_;
  std::vector<RuleIndex> rule_;   // by node, where it is not the leaf
  std::vector<SetId> ancestors_;  // `under` conditions fulfilled by the frames further out
  std::vector<SetId> categories_;
  std::vector<Walk> kernel_;  // over the kernel frames at the leaf's end only
  std::vector<Walk> all_;     // over every frame
  std::vector<Walk> user_;    // over every frame from the first user frame on
};

}  // namespace perfgap
