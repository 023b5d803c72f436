// What the target was doing: how busy, in user or kernel code, and which process did the work.
// Private to this folder.
#pragma once

#include "analyzers/analysis.h"
#include "analyzers/measures.h"

namespace perfgap {

Utilisation utilisation(const Profile& profile, const Measures& measures);

}  // namespace perfgap
