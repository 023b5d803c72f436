// One metric's samples as numbers: weights, counts, and the windows of the run they fall into.
// Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzers/interval.h"
#include "model/profile.h"

namespace perfgap {

class Measures {
 public:
  // Twenty, for the drift test; each pair of them is one of the ten windows of an interval.
  static constexpr std::size_t kWindows = 20;
  using Windows = std::array<double, kWindows>;  // weight in each

  // The profile must outlive this.
  Measures(const Profile& profile, std::size_t value_index);

  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  [[nodiscard]] std::int64_t weight(std::size_t sample) const { return weights_[sample]; }
  // Observations that the row of the sample table stands for.
  [[nodiscard]] std::int64_t count(std::size_t sample) const {
    return counts_.empty() ? 1 : counts_[sample];
  }
  [[nodiscard]] std::int64_t total_weight() const { return total_weight_; }
  [[nodiscard]] std::int64_t total_count() const { return total_count_; }
  // (sum w)^2 / sum w^2.
  [[nodiscard]] double effective_count() const { return effective_count_; }

  // Whether every sample has its time: without, there are no intervals. Ask before window().
  [[nodiscard]] bool has_windows() const { return slices_ > 0; }
  [[nodiscard]] std::size_t window(std::size_t sample) const;
  // Of a category with this weight per window.
  [[nodiscard]] Interval interval(const Windows& hits, double deff_if_none) const;
  [[nodiscard]] double design_effect(const Windows& hits) const;
  [[nodiscard]] bool moves(const Windows& hits) const;

 private:
  void find_windows(const RunInfo& run);
  [[nodiscard]] std::array<Slice, kWindows / 2> tenths(const Windows& hits) const;

  std::span<const std::int64_t> weights_;
  std::span<const std::int64_t> counts_;  // empty: one each
  std::span<const std::uint32_t> times_ms_;
  std::int64_t total_weight_ = 0;
  std::int64_t total_count_ = 0;
  double effective_count_ = 0;
  std::uint64_t slices_ = 0;  // of 10 ms in the run; 0 if times are missing
  Windows all_{};
};

// part / whole, 0 where there is no whole.
inline double share_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

}  // namespace perfgap
