// `profile explain` as text and JSON: the rules that match a function, and what decided its
// samples.
#pragma once

#include <string>
#include <vector>

#include "analyzers/categories.h"

namespace perfgap {

std::string explanations_text(const std::vector<Explanation>& explanations,
                              const CategoryRules& rules);
std::string explanations_json(const std::vector<Explanation>& explanations,
                              const CategoryRules& rules);

}  // namespace perfgap
