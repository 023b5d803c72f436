// Category shares of one metric: how much of the profile passes through, and is spent in, each
// category.
//
// Invariant: see CategoryShare in analysis.h.
#pragma once

#include <vector>

#include "analyzers/analysis.h"
#include "analyzers/measures.h"

namespace perfgap {

struct CategoryTable {
  std::vector<CategoryShare> rows;  // as Analysis::categories
  bool largest_moves = false;       // the share of the largest category drifts within the run
};

// One pass over the samples.
CategoryTable category_shares(const CategoryMarks& marks, const Measures& measures);

}  // namespace perfgap
