// Stack quality: outcomes counted.
#include "analyzers/stack_quality.h"

#include <algorithm>
#include <array>
#include <utility>

namespace perfgap {

StackQuality stack_quality(const Profile& profile, const CategoryMarks& marks,
                           const Measures& measures) {
  StackQuality quality;
  std::array<std::int64_t, kOutcomes> by_outcome{};
  for (std::size_t i = 0; i < measures.size(); ++i) {
    by_outcome[static_cast<std::size_t>(profile.samples().outcome[i])] += measures.count(i);
    if (marks.spent_in[i].step == DecisionStep::unsymbolised) {
      quality.unsymbolised_leaf += measures.count(i);
    }
  }
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    if (outcome == Outcome::no_user_stack || outcome == Outcome::unknown) continue;
    quality.with_user_stack += by_outcome[i];
    if (outcome == Outcome::complete) {
      quality.complete = by_outcome[i];
    } else if (by_outcome[i] != 0) {
      quality.incomplete.emplace_back(outcome, by_outcome[i]);
    }
  }
  std::ranges::sort(quality.incomplete, {},
                    [](const auto& cause) { return std::pair(-cause.second, cause.first); });
  return quality;
}

}  // namespace perfgap
