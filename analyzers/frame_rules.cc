// FrameRules: one pattern pass per distinct text, then one candidate list per distinct kind of
// frame.
#include "analyzers/frame_rules.h"

#include <algorithm>
#include <string>

namespace perfgap {
namespace {

// Both ascending.
bool intersect(std::span<const PatternId> left, std::span<const PatternId> right) {
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() && b != right.end()) {
    if (*a == *b) return true;
    (*a < *b) ? ++a : ++b;
  }
  return false;
}

// An empty restriction lets everything pass.
bool admits(std::span<const PatternId> wanted, std::span<const PatternId> hits) {
  return wanted.empty() || intersect(wanted, hits);
}

}  // namespace

FrameRules::FrameRules(const Profile& profile, const CategoryRules::Compiled& compiled)
    : profile_(profile), compiled_(compiled) {
  match_functions();
  match_modules();
  match_sources();
  decide_which_files_apply();
  group_rules_by_pattern();
  list_candidates();
}

void FrameRules::match_functions() {
  std::unordered_map<StringId, SetId> fulfilled_by_name;
  fulfilled_.resize(profile_.function_count());
  name_hits_[StringId()];  // no name, no match
  fulfilled_by_name[StringId()] = 0;
  for (std::size_t i = 1; i < profile_.function_count(); ++i) {
    const StringId name = profile_.function(FunctionId(i)).name;
    const auto [found, is_new] = name_hits_.try_emplace(name);
    if (is_new) {
      found->second = compiled_.functions.match(profile_.text(name));
      std::vector<std::uint32_t> fulfilled;
      for (std::size_t c = 0; c < compiled_.under_conditions.size(); ++c) {
        if (intersect(compiled_.under_conditions[c], found->second)) {
          fulfilled.push_back(static_cast<std::uint32_t>(c));
        }
      }
      fulfilled_by_name[name] = conditions_.intern(std::move(fulfilled));
    }
    fulfilled_[i] = fulfilled_by_name[name];
  }
}

void FrameRules::match_modules() {
  std::vector<PatternId> runtime_patterns;
  for (const CompiledFile& file : compiled_.files) {
    runtime_patterns.insert(runtime_patterns.end(), file.runtime_modules.begin(),
                            file.runtime_modules.end());
  }
  std::ranges::sort(runtime_patterns);
  std::unordered_set<std::string_view> executables;
  for (const ProcessRun& process : profile_.run.processes) {
    executables.insert(process.executables.begin(), process.executables.end());
  }
  for (std::size_t i = 0; i < profile_.mapping_count(); ++i) {
    const StringId file = profile_.mapping(MappingId(i)).file;
    const auto [found, is_new] = modules_.try_emplace(file);
    if (!is_new || file.is_none()) continue;
    Module& module = found->second;
    module.hits = compiled_.modules.match(profile_.text(file));
    module.is_program =
        executables.contains(profile_.text(file)) && !intersect(runtime_patterns, module.hits);
  }
}

void FrameRules::match_sources() {
  source_hits_[StringId()];
  for (std::size_t i = 1; i < profile_.function_count(); ++i) {
    const StringId file = profile_.function(FunctionId(i)).file;
    const auto [found, is_new] = source_hits_.try_emplace(file);
    if (is_new) found->second = compiled_.sources.match(profile_.text(file));
  }
}

void FrameRules::decide_which_files_apply() {
  std::vector<bool> function_seen(compiled_.functions.size());
  std::vector<bool> module_seen(compiled_.modules.size());
  for (const auto& [name, hits] : name_hits_) {
    for (const PatternId hit : hits) function_seen[hit] = true;
  }
  for (const auto& [file, module] : modules_) {
    for (const PatternId hit : module.hits) module_seen[hit] = true;
  }
  for (const CompiledFile& file : compiled_.files) {
    const bool asks = !file.applies_functions.empty() || !file.applies_modules.empty();
    file_applies_.push_back(!asks || std::ranges::any_of(file.applies_functions, [&](PatternId id) {
      return function_seen[id];
    }) || std::ranges::any_of(file.applies_modules, [&](PatternId id) { return module_seen[id]; }));
  }
}

void FrameRules::group_rules_by_pattern() {
  rules_of_pattern_.resize(compiled_.functions.size());
  for (std::size_t i = 0; i < compiled_.matchers.size(); ++i) {
    const RuleMatcher& rule = compiled_.matchers[i];
    if (rule.thread_root || !applies(rule)) continue;
    const auto index = static_cast<RuleIndex>(i);
    if (rule.functions.empty()) rules_without_function_.push_back(index);
    for (const PatternId pattern : rule.functions) rules_of_pattern_[pattern].push_back(index);
  }
}

void FrameRules::list_candidates() {
  std::map<ListKey, std::uint32_t> lists;
  list_of_frame_.resize(profile_.frame_count());
  candidate_lists_.emplace_back();  // of the root's placeholder
  for (std::size_t i = 1; i < profile_.frame_count(); ++i) {
    const Frame& frame = profile_.frame(FrameId(i));
    const Function& function = profile_.function(frame.function);
    const ListKey key{function.name, function.file, profile_.mapping(frame.mapping).file,
                      frame.kind};
    const auto [found, is_new] =
        lists.try_emplace(key, static_cast<std::uint32_t>(candidate_lists_.size()));
    if (is_new) candidate_lists_.push_back(matching_rules(frame));
    list_of_frame_[i] = found->second;
  }
}

std::vector<RuleIndex> FrameRules::matching_rules(const Frame& frame) const {
  std::vector<RuleIndex> rules = rules_without_function_;
  for (const PatternId hit : name_hits_.at(profile_.function(frame.function).name)) {
    rules.insert(rules.end(), rules_of_pattern_[hit].begin(), rules_of_pattern_[hit].end());
  }
  std::ranges::sort(rules);
  rules.erase(std::ranges::unique(rules).begin(), rules.end());
  std::erase_if(rules, [&](RuleIndex rule) { return !matches(compiled_.matchers[rule], frame); });
  return rules;
}

bool FrameRules::matches(const RuleMatcher& rule, const Frame& frame) const {
  if (rule.kinds != 0 && (rule.kinds >> static_cast<unsigned>(frame.kind) & 1) == 0) return false;
  const Function& function = profile_.function(frame.function);
  const Module& module = modules_.at(profile_.mapping(frame.mapping).file);
  // Without names, the program's own code cannot be told from a library linked into it.
  if (rule.program && (!module.is_program || function.name.is_none())) return false;
  return admits(rule.functions, name_hits_.at(function.name)) &&
         admits(rule.modules, module.hits) && admits(rule.sources, source_hits_.at(function.file));
}

ThreadRules FrameRules::thread_rules(std::string_view thread_name) const {
  ThreadRules result;
  if (compiled_.threads.size() == 0) return result;
  const std::vector<PatternId> hits = compiled_.threads.match(thread_name);
  for (std::size_t i = 0; i < compiled_.matchers.size(); ++i) {
    const RuleMatcher& rule = compiled_.matchers[i];
    if (!applies(rule) || !intersect(rule.threads, hits)) continue;
    const auto index = static_cast<RuleIndex>(i);
    if (!rule.thread_root) {
      result.also_frame.push_back(index);
    } else if (result.root == kNoRule) {
      result.root = index;
    }
  }
  return result;
}

}  // namespace perfgap
