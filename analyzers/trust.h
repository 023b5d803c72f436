// Whether the figures may be trusted, and what else the reader should know of them. Private to this
// folder.
#pragma once

#include <string>
#include <vector>

#include "analyzers/analysis.h"

namespace perfgap {

// All parts of `analysis` but `trust` and `notes` must be there.
Trust judge_trust(const Analysis& analysis);
std::vector<std::string> notes(const Analysis& analysis);

}  // namespace perfgap
