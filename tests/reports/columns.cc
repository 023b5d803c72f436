#include "columns.h"

#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

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

}  // namespace perfgap
