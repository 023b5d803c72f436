// Lines and columns of a screen; columns by the C library, the judge of what the reports believe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfgap {

// -1 if the line is not UTF-8 or holds a character that is not printable.
int columns_of(const std::string& line);

std::vector<std::string> lines_of(const std::string& text);

bool contains(const std::string& text, std::string_view part);

}  // namespace perfgap
