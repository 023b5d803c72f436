// A rule set ready to match: every pattern in one of four sets, every rule as pattern ids. Private
// to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzers/categories.h"
#include "analyzers/pattern_set.h"
#include "analyzers/rule_file.h"

namespace perfgap {

// Index into Compiled::matchers, which is in order of precedence.
using RuleIndex = std::int32_t;
inline constexpr RuleIndex kNoRule = -1;

struct RuleMatcher {
  static constexpr std::uint32_t kNotUnder = UINT32_MAX;

  CategoryId category;
  std::uint32_t file = 0;  // index into Compiled::files
  // Any one of a list must match; an empty list does not restrict.
  std::vector<PatternId> functions;
  std::vector<PatternId> modules;
  std::vector<PatternId> sources;
  std::vector<PatternId> threads;
  std::uint32_t under = kNotUnder;  // index into Compiled::under_conditions
  std::uint8_t kinds = 0;
  bool program = false;
  RulePosition where = RulePosition::any;
  bool covers = false;
  bool transparent = false;
  bool thread_root = false;

  // Matches a frame wherever it stands.
  [[nodiscard]] bool is_unconditional() const {
    return under == kNotUnder && where == RulePosition::any && threads.empty();
  }
};

struct CompiledFile {
  std::vector<PatternId> runtime_modules;
  std::vector<PatternId> applies_functions;
  std::vector<PatternId> applies_modules;
};

struct CategoryRules::Compiled {
  std::vector<std::string> categories;  // by CategoryId
  std::unordered_map<std::string, CategoryId> category_index;
  CategoryId kernel_other;
  CategoryId unattributed;
  CategoryId unsymbolised;

  std::vector<Rule> rules;
  std::vector<RuleMatcher> matchers;  // parallel to rules
  std::vector<CompiledFile> files;
  std::vector<std::vector<PatternId>> under_conditions;  // ids in `functions`

  PatternSet functions;
  PatternSet modules;
  PatternSet sources;
  PatternSet threads;
  std::string hash;

  CategoryId category(const std::string& name);
  void add_file(const RuleSource& source, const RuleFile& file);
};

}  // namespace perfgap
