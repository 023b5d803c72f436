// Names as a hostile program may choose them, made from a seed so that a failure can be repeated.
#pragma once

#include <random>
#include <string>

namespace perfgap {

// Empty, huge, not UTF-8, full of separators, control characters, wide, combining or reordering
// characters.
std::string hostile_name(std::mt19937& random);

}  // namespace perfgap
