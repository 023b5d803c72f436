// Event names, the fallback, and the lists of CPUs.
#include "collector/event.h"

#include <gtest/gtest.h>

#include <vector>

namespace perfgap {
namespace {

TEST(CpuList, RangesAndSingles) {
  EXPECT_EQ(parse_cpu_list("0-1\n"), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(parse_cpu_list("0,2-4,7"), (std::vector<std::uint32_t>{0, 2, 3, 4, 7}));
  EXPECT_TRUE(parse_cpu_list("").empty());
  EXPECT_FALSE(online_cpus().empty());
}

// A name that libpfm4 does not know is the user's mistake, and the error says which names there
// are.
TEST(Event, UnknownNamesAreUsageErrors) {
  const auto event = resolve_event("no-such-event");

  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().kind, ErrorKind::usage);
  EXPECT_NE(event.error().message.find("no-such-event"), std::string::npos);
}

// cpu-clock opens everywhere, and weighs in nanoseconds of CPU.
TEST(Event, CpuClockIsTime) {
  const auto event = resolve_event("cpu-clock");
  if (!event && event.error().message.find("not permitted") != std::string::npos)
    GTEST_SKIP() << "skipped: this machine does not let this user sample";

  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->weight_type, "cpu");
  EXPECT_EQ(event->weight_unit, "nanoseconds");
  EXPECT_EQ(event->info.reason, "");
}

// cycles either counts, or is replaced by cpu-clock with the reason and the modifiers kept.
TEST(Event, CyclesFallBackWithTheirModifiers) {
  const auto event = resolve_event("cycles:u");
  if (!event && event.error().message.find("not permitted") != std::string::npos)
    GTEST_SKIP() << "skipped: this machine does not let this user sample";

  ASSERT_TRUE(event) << event.error().message;
  EXPECT_TRUE(event->info.excludes_kernel);
  EXPECT_FALSE(event->info.excludes_user);
  EXPECT_EQ(event->info.requested, "cycles:u");
  if (event->info.name == "cycles:u") {
    EXPECT_EQ(event->weight_unit, "count");
  } else {
    EXPECT_EQ(event->info.name, "cpu-clock:u");
    EXPECT_FALSE(event->info.reason.empty());
    EXPECT_EQ(event->weight_unit, "nanoseconds");
  }
}

// The kernel's limit bounds the rate, and a modest rate passes as it is.
TEST(Rate, IsClampedToTheKernelsLimit) {
  EXPECT_EQ(allowed_rate_hz(1), 1U);
  EXPECT_LT(allowed_rate_hz(UINT64_MAX), UINT64_MAX);
}

}  // namespace
}  // namespace perfgap
