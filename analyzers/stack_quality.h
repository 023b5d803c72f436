// How many user stacks reached their root, and why the others did not. Private to this folder.
#pragma once

#include "analyzers/analysis.h"
#include "analyzers/measures.h"

namespace perfgap {

StackQuality stack_quality(const Profile& profile, const CategoryMarks& marks,
                           const Measures& measures);

}  // namespace perfgap
