// The thread table: samples and accounted CPU time of every thread. Private to this folder.
#pragma once

#include <vector>

#include "analyzers/analysis.h"
#include "analyzers/measures.h"

namespace perfgap {

// By weight, then tid. Weights sum to the total; threads that the kernel accounts for but no sample
// met are there too.
std::vector<ThreadShare> thread_shares(const Profile& profile, const Measures& measures);

}  // namespace perfgap
