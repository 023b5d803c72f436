// Typed indices into the dense tables of a profile, so that a function id never passes for a string
// id.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace perfgap {

// An index into one table. Default-constructed, it is entry 0, which every table reserves for
// "none".
template <typename Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : index_(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr std::uint32_t index() const { return index_; }
  [[nodiscard]] constexpr bool is_none() const { return index_ == 0; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  std::uint32_t index_ = 0;
};

using StringId = Id<struct StringTag>;      // 0 is the empty string
using MappingId = Id<struct MappingTag>;    // 0: no module known
using FunctionId = Id<struct FunctionTag>;  // 0: no name known
using FrameId = Id<struct FrameTag>;        // 0: the root's placeholder
using StackId = Id<struct StackTag>;        // 0: the empty stack, parent of every outermost frame
using ThreadId = Id<struct ThreadTag>;      // 0: thread unknown
using LabelSetId = Id<struct LabelSetTag>;  // 0: no further labels

}  // namespace perfgap

template <typename Tag>
struct std::hash<perfgap::Id<Tag>> {
  std::size_t operator()(perfgap::Id<Tag> id) const noexcept {
    return std::hash<std::uint32_t>{}(id.index());
  }
};
