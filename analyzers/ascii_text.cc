// Percent-encoding of what is not ASCII.
#include "analyzers/ascii_text.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "model/utf8.h"

namespace perfgap {

std::string to_ascii(std::string_view text) {
  std::string ascii;
  ascii.reserve(text.size());
  for (const char c : text) {
    if (c == '%' || static_cast<unsigned char>(c) >= 0x80) {
      fmt::format_to(std::back_inserter(ascii), "%{:02X}", static_cast<unsigned char>(c));
    } else {
      ascii += c;
    }
  }
  return ascii;
}

std::string from_ascii(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    unsigned char byte = 0;
    const char* const digits = text.data() + 1;
    if (text.size() >= 3 && text.front() == '%' &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      bytes += static_cast<char>(byte);
      text.remove_prefix(3);
    } else {
      bytes += text.front();
      text.remove_prefix(1);
    }
  }
  return bytes;
}

std::optional<std::uint32_t> first_line_not_utf8(std::string_view text) {
  std::uint32_t line = 1;
  while (!text.empty()) {
    if (text.front() == '\n') ++line;
    const Utf8Character character = decode_utf8(text);
    if (!character.valid) return line;
    text.remove_prefix(character.bytes);
  }
  return std::nullopt;
}

}  // namespace perfgap
