// Option values as people write them, and as they should not.
#include "cli/values.h"

#include <gtest/gtest.h>

namespace perfgap {
namespace {

using std::chrono::milliseconds;

TEST(Duration, TakesUnits) {
  EXPECT_EQ(parse_duration("10").value(), milliseconds(10'000));
  EXPECT_EQ(parse_duration("1.5s").value(), milliseconds(1'500));
  EXPECT_EQ(parse_duration("500ms").value(), milliseconds(500));
  EXPECT_EQ(parse_duration("2m").value(), milliseconds(120'000));
  EXPECT_EQ(parse_duration("1h").value(), milliseconds(3'600'000));
}

// What is no time, or none that a run can last, is the user's mistake; the text given is in the
// message.
TEST(Duration, RefusesTheRest) {
  for (const char* text : {"", "s", "-5", "-5s", "0", "0.0001ms", "nan", "inf", "1e3", "10 s", "5d",
                           "1000h", "10s10", "0x10"}) {
    const auto duration = parse_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_EQ(duration.error().kind, ErrorKind::usage) << text;
    EXPECT_NE(duration.error().message.find("'" + std::string(text) + "'"), std::string::npos);
  }
}

TEST(Rate, IsAWholeNumberFromOne) {
  EXPECT_EQ(parse_rate_hz("1").value(), 1U);
  EXPECT_EQ(parse_rate_hz("100000000").value(), 100'000'000U);
  for (const char* text : {"", "0", "-5", "abc", "499.5", "1e3", "99999999999999999999999"})
    EXPECT_EQ(parse_rate_hz(text).error().kind, ErrorKind::usage) << text;
}

TEST(Pid, IsOneThatLinuxGivesOut) {
  EXPECT_EQ(parse_pid("4194304").value(), 4'194'304U);
  for (const char* text : {"", "0", "-1", "4194305", "self", "12x"})
    EXPECT_EQ(parse_pid(text).error().kind, ErrorKind::usage) << text;
}

}  // namespace
}  // namespace perfgap
