// Columns of a line by the C library, the judge of what the reports believe.
#pragma once

#include <string>

namespace perfgap {

// -1 if the line is not UTF-8 or holds a character that is not printable.
int columns_of(const std::string& line);

}  // namespace perfgap
