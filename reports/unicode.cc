// Hostile bytes as they meet a terminal; widths come from the C library, so that they agree with
// what terminals use.
#include "reports/unicode.h"

#include <fmt/format.h>
#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <vector>

#include "model/utf8.h"

namespace perfgap {
namespace {

// wcwidth() follows the thread's locale; the caller's own is restored on leaving.
class Utf8Locale {
 public:
  Utf8Locale() : previous_(uselocale(utf8())) {}
  ~Utf8Locale() { uselocale(previous_); }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  // Built into the C library, so it cannot be missing; were it, non-ASCII names would print as
  // U+FFFD.
  static locale_t utf8() {
    static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return locale;
  }
  locale_t previous_;
};

constexpr std::string_view kReplacement = "\uFFFD";

struct Range {
  char32_t first;
  char32_t last;
};

// Invisible or reordering characters that the C library calls printable.
constexpr std::array kUnseen = {
    Range{0x00AD, 0x00AD},  Range{0x061C, 0x061C}, Range{0x115F, 0x1160}, Range{0x180B, 0x180F},
    Range{0x200B, 0x200F},  Range{0x2028, 0x202E}, Range{0x2060, 0x206F}, Range{0x3164, 0x3164},
    Range{0xFE00, 0xFE0F},  Range{0xFEFF, 0xFEFF}, Range{0xFFA0, 0xFFA0}, Range{0xFFF9, 0xFFFB},
    Range{0xE0000, 0xE0FFF}};

bool is_unseen(char32_t value) {
  return std::ranges::any_of(kUnseen,
                             [&](const Range& r) { return value >= r.first && value <= r.last; });
}

int width_of(char32_t value) {
  return wcwidth(static_cast<wchar_t>(value));
}

// More marks than this on one character are not writing but an attempt to draw over other lines.
constexpr int kMaxMarks = 2;

std::size_t columns(const Utf8Character& character) {
  const int width = character.valid ? width_of(character.code) : 1;
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

}  // namespace

std::string printable(std::string_view text) {
  const Utf8Locale locale;
  std::string out;
  out.reserve(text.size());
  int marks = kMaxMarks;  // a mark without a character before it would join what precedes the text
  while (!text.empty()) {
    const Utf8Character next = decode_utf8(text);
    const std::string_view bytes = text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
    if (next.valid && (next.code < 0x20 || next.code == 0x7F)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(next.code));
      marks = 0;
      continue;
    }
    const int width = next.valid ? width_of(next.code) : -1;
    const bool refused = width < 0 || is_unseen(next.code) || (width == 0 && marks >= kMaxMarks);
    out += refused ? kReplacement : bytes;
    marks = refused || width > 0 ? 0 : marks + 1;
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return text.size();
  }
  const Utf8Locale locale;
  std::size_t width = 0;
  while (!text.empty()) {
    const Utf8Character next = decode_utf8(text);
    width += columns(next);
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string elide_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  const Utf8Locale locale;

  // Byte offsets of characters with the columns before them, so that the tail can be cut at a
  // boundary too.
  struct Boundary {
    std::size_t at;
    std::size_t column;
  };
  std::vector<Boundary> boundaries;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character next = decode_utf8(text.substr(at));
    const std::size_t wide = columns(next);
    if (wide > 0) boundaries.push_back({at, column});  // marks stay with their character
    column += wide;
    at += next.bytes;
  }
  boundaries.push_back({text.size(), column});

  const std::size_t head = width / 2;
  const std::size_t tail = width - 1 - head;
  std::size_t head_end = 0;
  std::size_t tail_begin = text.size();
  for (const Boundary& boundary : boundaries) {
    if (boundary.column <= head) head_end = boundary.at;
    if (tail_begin == text.size() && column - boundary.column <= tail) tail_begin = boundary.at;
  }
  return std::string(text.substr(0, head_end)) + "…" + std::string(text.substr(tail_begin));
}

}  // namespace perfgap
