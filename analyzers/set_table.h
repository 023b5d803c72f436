// Interned sets of small numbers: equal sets have the equal id, and unions are remembered.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace perfgap {

using SetId = std::uint32_t;  // 0 is the empty set

class SetTable {
 public:
  SetTable();
  SetTable(const SetTable&) = delete;
  SetTable& operator=(const SetTable&) = delete;

  // `elements` may be in any order, with repeats.
  SetId intern(std::vector<std::uint32_t> elements);
  SetId unite(SetId left, SetId right);
  SetId with(SetId set, std::uint32_t element) { return unite(set, singleton(element)); }
  SetId singleton(std::uint32_t element);

  [[nodiscard]] std::span<const std::uint32_t> elements(SetId set) const;  // ascending
  [[nodiscard]] bool contains(SetId set, std::uint32_t element) const;
  [[nodiscard]] std::size_t size() const { return sets_.size(); }

 private:
  // The keys own the elements; `sets_` points at them.
  std::map<std::vector<std::uint32_t>, SetId> index_;
  std::vector<const std::vector<std::uint32_t>*> sets_;
  std::unordered_map<std::uint64_t, SetId> unions_;
  std::unordered_map<std::uint32_t, SetId> singletons_;
};

}  // namespace perfgap
