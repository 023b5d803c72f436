// Any bytes as valid UTF-8 and back: see utf8.h.
#include "model/utf8.h"

#include <cstddef>
#include <cstdint>

namespace perfgap {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<std::uint8_t>(text[index]);
}

bool stands_for_byte(const Utf8Character& character) {
  return character.valid && character.code >= 0xf780 && character.code <= 0xf7ff;
}

void append_byte(std::string& out, std::uint8_t byte) {
  out += '\xef';
  out += static_cast<char>(0x9c | byte >> 6);  // bit 7 is set: U+F780 is EF 9E 80
  out += static_cast<char>(0x80 | (byte & 0x3f));
}

}  // namespace

Utf8Character decode_utf8(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {1, true, lead};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  auto code = static_cast<char32_t>(lead & (0x7f >> bytes));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte_at(text, i) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return {};
  return {bytes, true, code};
}

bool needs_escape(std::string_view bytes) {
  while (!bytes.empty()) {
    const Utf8Character next = decode_utf8(bytes);
    if (!next.valid || stands_for_byte(next)) return true;
    bytes.remove_prefix(next.bytes);
  }
  return false;
}

std::string escape_to_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const Utf8Character next = decode_utf8(bytes);
    if (next.valid && !stands_for_byte(next)) {
      out += bytes.substr(0, next.bytes);
    } else {
      for (std::size_t i = 0; i < next.bytes; ++i) append_byte(out, byte_at(bytes, i));
    }
    bytes.remove_prefix(next.bytes);
  }
  return out;
}

std::string unescape_from_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character next = decode_utf8(text);
    if (stands_for_byte(next)) {
      out += static_cast<char>(next.code - 0xf700);
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

}  // namespace perfgap
