// Folded stacks: one line per distinct stack, root first, for flame graph tools. Rules:
// docs/reference/folded.md.
#pragma once

#include <string>
#include <string_view>

#include "model/profile.h"

namespace perfgap {

struct FoldedOptions {
  bool by_thread = false;  // a thread frame at the root
  bool suffixes = false;   // _[k] kernel, _[i] inlined, _[j] JIT on frame names
};

// Lines sorted bytewise, duplicates merged, weights of the value column; they sum to the column's
// total.
std::string folded_stacks(const Profile& profile, std::size_t value_index,
                          const FoldedOptions& options = {});

// One frame name by the grammar: never empty, no ';', control characters or trailing " digits".
std::string folded_frame_name(std::string_view name);

}  // namespace perfgap
