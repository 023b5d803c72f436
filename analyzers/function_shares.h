// The function table: self and total weight of every function. Private to this folder.
#pragma once

#include <vector>

#include "analyzers/analysis.h"
#include "analyzers/measures.h"

namespace perfgap {

// By self weight, then name. Self weights sum to the total of all samples that have a stack.
std::vector<FunctionShare> function_shares(const Profile& profile, const CategoryMarks& marks,
                                           const Measures& measures);

}  // namespace perfgap
