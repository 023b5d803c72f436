#include "columns.h"

#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

#include <sstream>

namespace perfgap {

int columns_of(const std::string& line) {
  static const locale_t utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
  const locale_t before = uselocale(utf8);
  std::wstring wide(line.size() + 1, L'\0');
  const std::size_t length = mbstowcs(wide.data(), line.c_str(), wide.size());
  const int columns = length == static_cast<std::size_t>(-1) ? -1 : wcswidth(wide.data(), length);
  uselocale(before);
  return columns;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace perfgap
