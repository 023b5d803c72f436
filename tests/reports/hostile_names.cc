#include "hostile_names.h"

#include <array>
#include <string_view>

namespace perfgap {
namespace {

using namespace std::string_view_literals;

constexpr std::array kPieces = {
    ";"sv,
    " "sv,
    "\n"sv,
    "\r\n"sv,
    "\t"sv,
    "\0"sv,
    "\x1b[31m"sv,
    "\x1b]0;x\a"sv,
    " 5"sv,
    " 1.5"sv,
    " 10 20"sv,
    ""sv,
    "\xff\xfe"sv,
    "\xc0\x80"sv,
    "\xed\xa0\x80"sv,
    "\xf4\x90\x80"sv,
    "\xe2\x82"sv,
    "\u0085"sv,
    "\u00a0"sv,
    "\u2028"sv,
    "\u2029"sv,
    "\u202e"sv,
    "\u2066"sv,
    "\u200b"sv,
    "\ufeff"sv,
    "e\u0301"sv,
    "\u0301"sv,
    "漢字"sv,
    "\U0001F600"sv,
    "\u3000"sv,
    "operator<"sv,
    "std::vector<int, std::allocator<int>>::push_back(int const&) const"sv,
    "(anonymous)"sv,
    "main"sv,
    "_[k]"sv,
    "%s{}\\"sv,
    "\"'<>&"sv};

}  // namespace

std::string hostile_name(std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return random() % limit; };
  std::string name;
  const std::size_t pieces = below(6);
  for (std::size_t i = 0; i < pieces; ++i) {
    switch (below(4)) {
      case 0:
        name += static_cast<char>(below(256));
        break;
      case 1:
        name.append(below(8) == 0 ? 300 : below(12), static_cast<char>('a' + below(26)));
        break;
      default:
        name += kPieces[below(kPieces.size())];
    }
  }
  return name;
}

}  // namespace perfgap
