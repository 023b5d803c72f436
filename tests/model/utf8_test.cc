// Escaping of bytes that are no UTF-8.
#include "model/utf8.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace perfgap::testing {
namespace {

// Valid UTF-8 stays as it is, whatever it holds but the characters that stand for bytes.
TEST(Utf8, LeavesValidTextAlone) {
  for (const std::string text : {"", "plain", "caf\xc3\xa9", "\xe2\x82\xac \xf0\x9f\x98\x80",
                                 "tab\tand\x01", "\xef\x9d\xbf", "\xef\xa0\x80"}) {
    EXPECT_FALSE(needs_escape(text)) << text;
    EXPECT_EQ(escape_to_utf8(text), text);
    EXPECT_EQ(unescape_from_utf8(text), text);
  }
}

// Bytes of no character are escaped: stray, cut short, overlong, surrogates, beyond the last.
TEST(Utf8, EscapesWhatIsNoCharacter) {
  for (const std::string bytes : {"\xff", "\x80", "a\xc3", "\xe2\x82", "\xc0\xaf", "\xe0\x80\xaf",
                                  "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"}) {
    EXPECT_TRUE(needs_escape(bytes));
    EXPECT_EQ(unescape_from_utf8(escape_to_utf8(bytes)), bytes);
  }
  EXPECT_EQ(escape_to_utf8("a\xff"), "a\xef\x9f\xbf");  // U+F7FF
  EXPECT_EQ(escape_to_utf8("\x80"), "\xef\x9e\x80");    // U+F780
}

// Any bytes come back, and what is stored in between is UTF-8 by another library's judgement.
TEST(Utf8, AnyBytesSurvive) {
  std::mt19937 random(1);
  const std::string alphabet = "a\x80\xbf\xc3\xa9\xe2\x82\xac\xed\xa0\xef\x9e\x9f\xf0\xf4\x90\xff";
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    for (unsigned i = random() % 8; i > 0; --i) bytes += alphabet[random() % alphabet.size()];
    const std::string escaped = escape_to_utf8(bytes);
    ASSERT_EQ(unescape_from_utf8(escaped), bytes);
    ASSERT_NO_THROW((void)nlohmann::json(escaped).dump());
  }
}

}  // namespace
}  // namespace perfgap::testing
