// CPU time of the window: what threads used before it began is not counted, what ended threads used
// is.
#include "collector/cpu_accounting.h"

#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

namespace perfgap {
namespace {

// A thread born in the window counts whole; two that shared an id one after the other count both.
TEST(CpuAccounting, EndedThreadsKeepTheirTime) {
  CpuAccounting accounting;
  accounting.begin_newborn(900'000'001);
  accounting.end_thread(900'000'001, 900'000'001, "first", {.cpu_ns = 50, .wait_ns = 5});
  accounting.end_thread(900'000'001, 900'000'001, "again", {.cpu_ns = 7, .wait_ns = 1});

  const CpuUse use = accounting.of_process(900'000'001);
  EXPECT_EQ(use.cpu_ns, 57U);
  EXPECT_EQ(use.wait_ns, 6U);
}

// The clock of this very process agrees with what the window counted of it, and earlier work is
// left out.
TEST(CpuAccounting, CountsFromTheBeginOfTheWindow) {
  const auto clock_ns = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec);
  };
  const auto spin = [] {
    volatile std::uint64_t sink = 0;
    for (std::uint64_t i = 0; i < 200'000'000; ++i) sink = sink + i;
  };
  const auto self = static_cast<std::uint64_t>(getpid());
  spin();
  CpuAccounting accounting;
  accounting.begin_process(self);
  const std::uint64_t before_ns = clock_ns();
  spin();
  accounting.read_living({self});
  const std::uint64_t used_ns = clock_ns() - before_ns;

  // The scheduler brings a running thread's account up to date at its tick: at most 10 ms late, at
  // either end.
  constexpr std::uint64_t kTickNs = 10'000'000;
  EXPECT_NEAR(static_cast<double>(accounting.of_process(self).cpu_ns), static_cast<double>(used_ns),
              2.0 * kTickNs);
}

}  // namespace
}  // namespace perfgap
