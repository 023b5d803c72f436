// What reaches a terminal: well-formed, one line, in the order it was written.
#include "reports/unicode.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "columns.h"
#include "hostile_names.h"

namespace perfgap {
namespace {

// What is not UTF-8 is one replacement a byte; what follows is read afresh.
TEST(Unicode, IllFormedBytesAreReplaced) {
  EXPECT_EQ(printable("\xe2\x82"
                      "a"),
            "\uFFFD\uFFFDa");                                            // cut short
  EXPECT_EQ(printable("\xc0\x80"), "\uFFFD\uFFFD");                      // overlong NUL
  EXPECT_EQ(printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");            // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
}

// Nothing that moves the cursor, reorders or hides text gets through; what is readable stays.
TEST(Unicode, PrintableNeutralises) {
  EXPECT_EQ(printable("plain é 漢"), "plain é 漢");
  EXPECT_EQ(printable("\x1b[31mred\n"), "\\x1b[31mred\\x0a");
  EXPECT_EQ(printable("a\u202e"
                      "b\u2066"
                      "c\u200b"
                      "d\ufeff"),
            "a\uFFFDb\uFFFDc\uFFFDd\uFFFD");
  EXPECT_EQ(printable("\u0085\u009b"), "\uFFFD\uFFFD");
  EXPECT_EQ(printable("\xff"), "\uFFFD");
  EXPECT_EQ(printable("e\u0301\u0301\u0301"), "e\u0301\u0301\uFFFD");
  EXPECT_EQ(printable("\u0301e"), "\uFFFDe");
}

TEST(Unicode, WidthCountsColumns) {
  // Wide characters take two columns, marks none.
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("漢字"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(display_width("±…"), 2);
}

// Both ends stay, characters stay whole, and the result is never wider than asked.
TEST(Unicode, ElidesInTheMiddle) {
  EXPECT_EQ(elide_middle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(elide_middle("abcdefghij", 9), "abcd…ghij");
  EXPECT_EQ(elide_middle("abcdefghij", 4), "ab…j");
  EXPECT_EQ(elide_middle("abcdefghij", 1), "…");
  EXPECT_EQ(elide_middle("abcdefghij", 0), "");
  EXPECT_EQ(elide_middle("漢字漢字", 6), "漢…字");
  EXPECT_EQ(elide_middle("ae\u0301bcdef", 4), "ae\u0301…f");
}

// For any name and width: valid UTF-8, no control character, idempotent, and the C library's width
// of it fits.
TEST(Unicode, HostileNamesAreSafe) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const std::string clean = printable(hostile_name(random));
    ASSERT_NO_THROW(static_cast<void>(nlohmann::json(clean).dump())) << seed;
    ASSERT_EQ(printable(clean), clean) << seed;

    const std::size_t width = random() % 40;
    const std::string cut = elide_middle(clean, width);
    ASSERT_NO_THROW(static_cast<void>(nlohmann::json(cut).dump())) << seed;
    const int columns = columns_of(cut);
    ASSERT_GE(columns, 0) << "a character that is not printable, seed " << seed;
    ASSERT_LE(columns, static_cast<int>(width)) << seed;
  }
}

}  // namespace
}  // namespace perfgap
