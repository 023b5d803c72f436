// Rust's legacy symbols: C++ nested names whose last part is a hash, with `$..$` escapes.
#include <algorithm>
#include <array>
#include <charconv>

#include "symbolizer/demangle.h"

namespace perfgap {
namespace {

constexpr std::size_t kHashPart = 17;  // "h" and 16 digits

bool is_hash(std::string_view part) {
  return part.size() == kHashPart && part[0] == 'h' &&
         part.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// The text of `$name$`; false if it is no escape.
bool append_escape(std::string& out, std::string_view name) {
  struct Escape {
    std::string_view name;
    char text;
  };
  constexpr std::array<Escape, 8> kEscapes = {
      Escape{"LT", '<'}, Escape{"GT", '>'}, Escape{"LP", '('}, Escape{"RP", ')'},
      Escape{"C", ','},  Escape{"BP", '*'}, Escape{"RF", '&'}, Escape{"SP", '@'}};
  const auto known = std::ranges::find(kEscapes, name, &Escape::name);
  if (known != kEscapes.end()) {
    out += known->text;
    return true;
  }
  if (!name.starts_with('u') || name.size() > 7) return false;
  std::uint32_t code = 0;
  const auto parsed = std::from_chars(name.begin() + 1, name.end(), code, 16);
  const bool character = code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (parsed.ec != std::errc() || parsed.ptr != name.end() || !character) return false;
  append_utf8(out, code);
  return true;
}

void append_part(std::string& out, std::string_view part) {
  if (part.starts_with("_$")) part.remove_prefix(1);
  while (!part.empty()) {
    if (part[0] == '$') {
      const std::size_t end = part.find('$', 1);
      if (end != std::string_view::npos && append_escape(out, part.substr(1, end - 1))) {
        part.remove_prefix(end + 1);
        continue;
      }
    } else if (part.starts_with("..")) {
      out += "::";
      part.remove_prefix(2);
      continue;
    }
    out += part[0];
    part.remove_prefix(1);
  }
}

}  // namespace

std::optional<std::string> demangle_rust_legacy(std::string_view symbol) {
  if (!symbol.starts_with("_ZN") || !symbol.ends_with('E')) return std::nullopt;
  std::string_view rest = symbol.substr(3, symbol.size() - 4);
  std::string out;
  while (true) {
    std::size_t size = 0;
    const auto parsed = std::from_chars(rest.begin(), rest.end(), size);
    if (parsed.ec != std::errc()) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest.begin()));
    if (size == 0 || size > rest.size()) return std::nullopt;
    const std::string_view part = rest.substr(0, size);
    rest.remove_prefix(size);
    if (rest.empty()) {
      if (!is_hash(part) || out.empty()) return std::nullopt;
      return out;
    }
    if (!out.empty()) out += "::";
    append_part(out, part);
  }
}

}  // namespace perfgap
