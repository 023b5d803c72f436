// Which rules match the frames and threads of one profile, before anything is asked about their
// place on a stack. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzers/compiled_rules.h"
#include "analyzers/set_table.h"
#include "model/profile.h"

namespace perfgap {

// What the rules say of one thread name.
struct ThreadRules {
  RuleIndex root = kNoRule;           // the first that only asks for the thread
  std::vector<RuleIndex> also_frame;  // those that ask for a frame besides, ascending
};

class FrameRules {
 public:
  FrameRules(const Profile& profile, const CategoryRules::Compiled& compiled);

  // Rules that match the frame's function, module, source file and kind, first in precedence first.
  // What they ask besides (where, under, thread) is not decided here.
  [[nodiscard]] std::span<const RuleIndex> candidates(FrameId frame) const {
    return candidate_lists_[list_of_frame_[frame.index()]];
  }
  // `under` conditions that the function fulfils for the frames below it; a set of `conditions()`.
  [[nodiscard]] SetId fulfilled(FunctionId function) const { return fulfilled_[function.index()]; }
  [[nodiscard]] SetTable& conditions() const { return conditions_; }
  [[nodiscard]] ThreadRules thread_rules(std::string_view thread_name) const;
  [[nodiscard]] const CategoryRules::Compiled& compiled() const { return compiled_; }

 private:
  using ListKey = std::tuple<StringId, StringId, StringId, FrameKind>;  // name, source, module
  struct Module {
    std::vector<PatternId> hits;
    bool is_program = false;  // the target's own, no runtime's
  };

  void match_functions();
  void match_modules();
  void match_sources();
  void decide_which_files_apply();
  void group_rules_by_pattern();
  void list_candidates();
  [[nodiscard]] std::vector<RuleIndex> matching_rules(const Frame& frame) const;
  [[nodiscard]] bool matches(const RuleMatcher& rule, const Frame& frame) const;
  [[nodiscard]] bool applies(const RuleMatcher& rule) const { return file_applies_[rule.file]; }

  const Profile& profile_;
  const CategoryRules::Compiled& compiled_;
  std::unordered_map<StringId, std::vector<PatternId>> name_hits_;
  std::unordered_map<StringId, std::vector<PatternId>> source_hits_;
  std::unordered_map<StringId, Module> modules_;
  std::vector<bool> file_applies_;
  std::vector<std::vector<RuleIndex>> rules_of_pattern_;  // by function pattern
  std::vector<RuleIndex> rules_without_function_;
  std::vector<SetId> fulfilled_;  // by function
  mutable SetTable conditions_;
  std::vector<std::vector<RuleIndex>> candidate_lists_;
  std::vector<std::uint32_t> list_of_frame_;
};

}  // namespace perfgap
