// Any bytes as valid UTF-8 and back, for formats that admit nothing else.
//
// Names come from the target and may be any bytes. Each byte that is not part of valid UTF-8
// becomes one character of a private-use range (U+F780..U+F7FF for bytes 0x80..0xFF); the bytes of
// a genuine character of that range are escaped the same way, so that unescape(escape(x)) == x for
// every x.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfgap {

struct Utf8Character {
  std::size_t bytes = 1;
  bool valid = false;
  char32_t code = 0;
};
// The character at the front of a non-empty text; one byte, not valid, if there is none.
[[nodiscard]] Utf8Character decode_utf8(std::string_view text);

[[nodiscard]] bool needs_escape(std::string_view bytes);
[[nodiscard]] std::string escape_to_utf8(std::string_view bytes);
[[nodiscard]] std::string unescape_from_utf8(std::string_view text);

}  // namespace perfgap
