// Raw stacks of a capture, each distinct one stored once.
#include <algorithm>
#include <cassert>

#include "model/capture.h"
#include "model/hash.h"

namespace perfgap {

RawStacks::RawStacks() {
  intern({});
}

std::uint32_t RawStacks::intern(std::span<const std::uint64_t> addresses) {
  std::uint64_t hash = addresses.size();
  for (const std::uint64_t address : addresses) hash = mix_hash(hash, address);
  const auto [begin, end] = index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (std::ranges::equal(at(it->second), addresses)) return it->second;
  }
  const auto index = static_cast<std::uint32_t>(ranges_.size());
  ranges_.push_back({addresses_.size(), addresses.size()});
  addresses_.insert(addresses_.end(), addresses.begin(), addresses.end());
  index_.emplace(hash, index);
  return index;
}

std::span<const std::uint64_t> RawStacks::at(std::uint32_t index) const {
  assert(index < ranges_.size());
  const Range& range = ranges_[index];
  return {addresses_.data() + range.begin, range.count};
}

}  // namespace perfgap
