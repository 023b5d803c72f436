// Functions as a person counts them: frames grouped by function, whatever tier or address they ran
// at. Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/profile.h"

namespace perfgap {

// One function: its name, module file, and place in the source. Frames without a name form one
// group per module.
struct FunctionGroup {
  StringId name{};
  StringId module{};
  StringId source{};
  std::uint32_t line = 0;
  auto operator<=>(const FunctionGroup&) const = default;
};

class FunctionGroups {
 public:
  explicit FunctionGroups(const Profile& profile);

  [[nodiscard]] const std::vector<FunctionGroup>& groups() const { return groups_; }
  // Index into groups().
  [[nodiscard]] std::size_t of(FrameId frame) const { return group_of_[frame.index()]; }

 private:
  std::vector<FunctionGroup> groups_;
  std::vector<std::size_t> group_of_;  // by frame
};

// Sum of `weights` (by sample) over the samples at or below every stack node.
std::vector<std::int64_t> weight_below(const Profile& profile,
                                       const std::function<std::int64_t(std::size_t)>& weight);

// Calls `visit` for every node whose group is not on the stack further out: a sample that recurses
// is met once.
void for_each_outermost(const Profile& profile, const FunctionGroups& groups,
                        const std::function<void(StackId, std::size_t group)>& visit);

}  // namespace perfgap
