// A set of regular expressions matched against a text in one pass.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace perfgap {

// Index of a pattern in its set.
using PatternId = std::uint32_t;

// Add patterns, compile once, then match. Not to be shared between threads.
class PatternSet {
 public:
  PatternSet();
  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;
  ~PatternSet();

  // The pattern must be valid RE2 syntax; equal patterns share one id.
  PatternId add(const std::string& pattern);
  // False if the patterns together need too much memory.
  [[nodiscard]] bool compile();
  // Patterns that occur in `text`, ascending.
  [[nodiscard]] std::vector<PatternId> match(std::string_view text) const;
  [[nodiscard]] std::size_t size() const { return patterns_.size(); }

 private:
  struct Compiled;

  std::vector<std::string> patterns_;
  std::unordered_map<std::string, PatternId> index_;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace perfgap
