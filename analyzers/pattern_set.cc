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
  // No error to ask for: RE2 compiles a set only if its automaton can run in the memory given.
  std::vector<int> hits;
  compiled_->set.Match(re2::StringPiece(text.data(), text.size()), &hits);
  std::vector<PatternId> result(hits.begin(), hits.end());
  std::ranges::sort(result);
  return result;
}

}  // namespace perfgap
