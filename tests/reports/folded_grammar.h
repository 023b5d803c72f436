// The grammar of folded stacks, checked strictly and without the code that writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace perfgap {

// What is wrong with `text`, whose weights should sum to `total`; empty if nothing is.
std::string folded_problem(std::string_view text, std::int64_t total);

}  // namespace perfgap
