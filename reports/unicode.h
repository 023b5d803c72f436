// UTF-8 as it meets a terminal: decoding of hostile bytes, display width, and what must never be
// printed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfgap {

// Safe to print on one line of a terminal: well-formed UTF-8 in which ASCII control characters are
// spelled `\x1b`, and everything else that moves the cursor, reorders text or cannot be seen is
// U+FFFD. Idempotent.
std::string printable(std::string_view text);

// Columns that printable() text takes.
std::size_t display_width(std::string_view text);

// At most `width` columns of printable() text, cut in the middle with an ellipsis so that both ends
// stay readable.
std::string elide_middle(std::string_view text, std::size_t width);

}  // namespace perfgap
