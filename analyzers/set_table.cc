// SetTable.
#include "analyzers/set_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace perfgap {

SetTable::SetTable() {
  intern({});
}

SetId SetTable::intern(std::vector<std::uint32_t> elements) {
  std::ranges::sort(elements);
  elements.erase(std::ranges::unique(elements).begin(), elements.end());
  const auto [found, is_new] =
      index_.try_emplace(std::move(elements), static_cast<SetId>(sets_.size()));
  if (is_new) sets_.push_back(&found->first);
  return found->second;
}

SetId SetTable::singleton(std::uint32_t element) {
  const auto [found, is_new] = singletons_.try_emplace(element, 0);
  if (is_new) found->second = intern({element});
  return found->second;
}

SetId SetTable::unite(SetId left, SetId right) {
  if (left == right || right == 0) return left;
  if (left == 0) return right;
  if (left > right) std::swap(left, right);
  const auto [found, is_new] = unions_.try_emplace(std::uint64_t{left} << 32 | right, 0);
  if (is_new) {
    std::vector<std::uint32_t> both;
    std::ranges::set_union(*sets_[left], *sets_[right], std::back_inserter(both));
    found->second = intern(std::move(both));
  }
  return found->second;
}

std::span<const std::uint32_t> SetTable::elements(SetId set) const {
  return *sets_[set];
}

bool SetTable::contains(SetId set, std::uint32_t element) const {
  return std::ranges::binary_search(*sets_[set], element);
}

}  // namespace perfgap
