// Nearest known word by edit distance, or by what other tools call the same thing.
#include "analyzers/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace perfgap {
namespace {

// Words of other tools -> ours.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSynonyms = {{
    {"symbol", "function"},
    {"dso", "module"},
    {"library", "module"},
    {"comm", "thread"},
    {"id", "category"},
    {"position", "where"},
}};

constexpr std::size_t kLongestWord =
    64;  // longer ones are near nothing, and would be slow to compare

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string_view nearest;
  const auto consider = [&](std::string_view candidate, std::string_view meaning) {
    if (word.size() > kLongestWord) return;
    if (const std::size_t distance = edit_distance(word, candidate); distance < best) {
      best = distance;
      nearest = meaning;
    }
  };
  for (const std::string& candidate : known) consider(candidate, candidate);
  for (const auto& [synonym, meaning] : kSynonyms) {
    if (std::ranges::find(known, meaning) != known.end()) consider(synonym, meaning);
  }
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  return fmt::format("known are {}", fmt::join(known, ", "));
}

std::string suggestion(std::string_view word, std::span<const char* const> known) {
  return suggestion(word, std::vector<std::string>(known.begin(), known.end()));
}

}  // namespace perfgap
