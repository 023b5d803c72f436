// Function names that fit a column and can still be told apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfgap {

// At most `width` columns of a printable() name. What does not fit loses, in this order, the
// parameter list, the template arguments ("Scavenger<…>::scan"), and its middle.
std::string shorten_name(std::string_view name, std::size_t width);

}  // namespace perfgap
