// Function names that fit a column: C++ and Rust names lose what says least about them first.
#include "reports/function_name.h"

#include "reports/unicode.h"

namespace perfgap {
namespace {

constexpr std::string_view kConst = " const";

// "f(int, g(*)())" -> "f"; a name that is all parentheses, such as "(anonymous)", stays.
std::string_view without_parameters(std::string_view name) {
  std::string_view call = name;
  if (call.ends_with(kConst)) call.remove_suffix(kConst.size());
  if (!call.ends_with(')')) return name;
  std::size_t depth = 0;
  for (std::size_t at = call.size(); at-- > 1;) {
    if (call[at] == ')') ++depth;
    if (call[at] == '(' && --depth == 0) return call.substr(0, at);
  }
  return name;
}

// Outermost <...> emptied. A name whose brackets do not match (operator<, operator->) stays.
std::string without_arguments(std::string_view name) {
  std::string out;
  std::size_t depth = 0;
  for (const char c : name) {
    if (c == '>') {
      if (depth == 0) return std::string(name);
      if (--depth == 0) out += "…";
    }
    if (depth == 0) out += c;
    if (c == '<') ++depth;
  }
  return depth == 0 ? out : std::string(name);
}

}  // namespace

std::string shorten_name(std::string_view name, std::size_t width) {
  if (display_width(name) <= width) return std::string(name);
  const std::string_view call = without_parameters(name);
  if (display_width(call) <= width) return std::string(call);
  return elide_middle(without_arguments(call), width);
}

}  // namespace perfgap
