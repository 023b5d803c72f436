#include "symbolizer/mapping_timeline.h"

#include <algorithm>
#include <numeric>

namespace perfgap {

MappingTimeline::MappingTimeline(std::span<const CapturedMapping> mappings)
    : mappings_(mappings), by_time_(mappings.size()) {
  std::iota(by_time_.begin(), by_time_.end(), 0U);
  std::ranges::stable_sort(by_time_, {}, [&](std::uint32_t i) { return mappings_[i].time_ns; });
  // Painted backwards, the earliest comes to lie on top.
  for (auto it = by_time_.rbegin(); it != by_time_.rend(); ++it) paint(earliest_, *it);
}

void MappingTimeline::advance(std::uint64_t time_ns) {
  for (; next_ < by_time_.size() && mappings_[by_time_[next_]].time_ns <= time_ns; next_++)
    paint(current_, by_time_[next_]);
}

void MappingTimeline::paint(Ranges& ranges, std::uint32_t mapping) const {
  const std::uint64_t start = mappings_[mapping].start;
  const std::uint64_t end = mappings_[mapping].end;
  if (start >= end) return;
  auto it = ranges.lower_bound(start);
  if (it != ranges.begin()) {
    const auto before = std::prev(it);
    const Range old = before->second;
    if (old.end > start) before->second.end = start;
    if (old.end > end) it = ranges.emplace(end, old).first;
  }
  while (it != ranges.end() && it->first < end) {
    if (it->second.end > end) {
      const Range rest = it->second;
      ranges.erase(it);
      ranges.emplace(end, rest);
      break;
    }
    it = ranges.erase(it);
  }
  ranges[start] = {.end = end, .mapping = mapping};
}

std::uint32_t MappingTimeline::find_in(const Ranges& ranges, std::uint64_t address) {
  const auto after = ranges.upper_bound(address);
  if (after == ranges.begin()) return kNone;
  const Range& range = std::prev(after)->second;
  return address < range.end ? range.mapping : kNone;
}

std::uint32_t MappingTimeline::find(std::uint64_t address) const {
  const std::uint32_t found = find_in(current_, address);
  return found == kNone ? find_in(earliest_, address) : found;
}

}  // namespace perfgap
