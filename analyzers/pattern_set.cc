// PatternSet over RE2::Set.
#include "analyzers/pattern_set.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>

namespace perfgap {
namespace {

constexpr std::int64_t kMemoryBytes = 64 << 20;  // automaton and its cached states, per set

re2::RE2::Options options() {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kMemoryBytes);
  return options;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

struct PatternSet::Compiled {
  re2::RE2::Set set{options(), re2::RE2::UNANCHORED};
};

PatternSet::PatternSet() = default;
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;
PatternSet::~PatternSet() = default;

PatternId PatternSet::add(const std::string& pattern) {
  const auto [found, is_new] =
      index_.try_emplace(pattern, static_cast<PatternId>(patterns_.size()));
  if (is_new) patterns_.push_back(pattern);
  return found->second;
}

bool PatternSet::compile() {
  compiled_ = std::make_unique<Compiled>();
  for (const std::string& pattern : patterns_) {
    if (compiled_->set.Add(pattern, nullptr) < 0) return false;
  }
  return compiled_->set.Compile();
}

std::vector<PatternId> PatternSet::match(std::string_view text) const {
  if (patterns_.empty()) return {};
  std::vector<int> hits;
  re2::RE2::Set::ErrorInfo error{re2::RE2::Set::kNoError};
  if (!compiled_->set.Match(piece(text), &hits, &error)) {
    return error.kind == re2::RE2::Set::kNoError ? std::vector<PatternId>() : match_singly(text);
  }
  std::vector<PatternId> result(hits.begin(), hits.end());
  std::ranges::sort(result);
  return result;
}

std::vector<PatternId> PatternSet::match_singly(std::string_view text) const {
  if (single_.empty()) {
    for (const std::string& pattern : patterns_) {
      single_.push_back(std::make_unique<re2::RE2>(pattern, options()));
    }
  }
  std::vector<PatternId> result;
  for (PatternId id = 0; id < single_.size(); ++id) {
    if (re2::RE2::PartialMatch(piece(text), *single_[id])) result.push_back(id);
  }
  return result;
}

}  // namespace perfgap
