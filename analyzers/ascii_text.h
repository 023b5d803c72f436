// UTF-8 text as ASCII of the same lines, and back: '%' and bytes beyond ASCII become "%XX".
//
// For a parser whose tests of characters beyond ASCII are undefined for some of them (toml++ 3.3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perfgap {

[[nodiscard]] std::string to_ascii(std::string_view text);
// from_ascii(to_ascii(x)) == x for every x.
[[nodiscard]] std::string from_ascii(std::string_view text);

// The first line, counted from 1, with bytes that are no UTF-8.
[[nodiscard]] std::optional<std::uint32_t> first_line_not_utf8(std::string_view text);

}  // namespace perfgap
