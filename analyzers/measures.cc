// Measures.
#include "analyzers/measures.h"

#include <algorithm>

namespace perfgap {
namespace {

constexpr std::uint64_t kFewestSlices = 10;

}  // namespace

Measures::Measures(const Profile& profile, std::size_t value_index)
    : times_ms_(profile.samples().time_ms) {
  const auto& columns = profile.samples().values;
  if (value_index < columns.size()) weights_ = columns[value_index];
  if (const auto counts = profile.value_index("samples")) counts_ = columns[*counts];
  double squares = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    total_weight_ += weight(i);
    total_count_ += count(i);
    // The observations of one row weigh the same.
    const auto row = static_cast<double>(weight(i));
    squares += row * row / static_cast<double>(std::max<std::int64_t>(1, count(i)));
  }
  const auto total = static_cast<double>(total_weight_);
  effective_count_ = squares > 0 ? total * total / squares : 0;
  find_windows(profile.run);
}

void Measures::find_windows(const RunInfo& run) {
  if (size() == 0 || std::ranges::find(times_ms_, kNoTime) != times_ms_.end()) return;
  const std::uint64_t last_slice = *std::ranges::max_element(times_ms_) / kTimeStepMs;
  slices_ = std::max(run.run_ms / kTimeStepMs, last_slice + 1);
  for (std::size_t i = 0; i < size(); ++i) all_[window(i)] += static_cast<double>(weight(i));
}

std::size_t Measures::window(std::size_t sample) const {
  // The inverse of window_bounds(): the last window that begins at or before the slice.
  const std::uint64_t slice = times_ms_[sample] / kTimeStepMs;
  return ((slice + 1) * kWindows - 1) / slices_;
}

std::array<Slice, Measures::kWindows / 2> Measures::tenths(const Windows& hits) const {
  std::array<Slice, kWindows / 2> tenths{};
  for (std::size_t i = 0; i < kWindows; ++i) {
    tenths[i / 2].hits += hits[i];
    tenths[i / 2].samples += all_[i];
  }
  return tenths;
}

Interval Measures::interval(const Windows& hits, double deff_if_none) const {
  if (slices_ < kFewestSlices) return {};
  return share_interval(tenths(hits), effective_count_, deff_if_none);
}

double Measures::design_effect(const Windows& hits) const {
  if (slices_ < kFewestSlices) return 1;
  return perfgap::design_effect(tenths(hits), effective_count_);
}

bool Measures::moves(const Windows& hits) const {
  if (slices_ < kWindows) return false;
  std::array<Slice, kWindows> slices{};
  for (std::size_t i = 0; i < kWindows; ++i) slices[i] = {hits[i], all_[i]};
  return share_moves(slices);
}

}  // namespace perfgap
