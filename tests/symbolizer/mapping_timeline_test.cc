#include "symbolizer/mapping_timeline.h"

#include <gtest/gtest.h>

#include <random>

namespace perfgap {
namespace {

CapturedMapping mapping(std::uint64_t start, std::uint64_t end, std::uint64_t time_ns) {
  return {.start = start, .end = end, .time_ns = time_ns, .name = {}, .file = nullptr};
}

// A later mapping hides what it overlaps from its time on, and nothing else.
TEST(MappingTimeline, LaterMappingHidesFromItsTimeOn) {
  const std::vector<CapturedMapping> mappings = {mapping(0x1000, 0x4000, 0),
                                                 mapping(0x2000, 0x3000, 50)};
  MappingTimeline timeline(mappings);
  timeline.advance(49);
  EXPECT_EQ(timeline.find(0x2000), 0U);
  timeline.advance(50);
  EXPECT_EQ(timeline.find(0x1fff), 0U);
  EXPECT_EQ(timeline.find(0x2000), 1U);
  EXPECT_EQ(timeline.find(0x2fff), 1U);
  EXPECT_EQ(timeline.find(0x3000), 0U);
  EXPECT_EQ(timeline.find(0x4000), MappingTimeline::kNone);
}

// What no mapping so far holds is served by the earliest later one.
TEST(MappingTimeline, EarliestLaterMappingServesEarlierTimes) {
  const std::vector<CapturedMapping> mappings = {mapping(0x1000, 0x2000, 90),
                                                 mapping(0x1000, 0x3000, 70)};
  MappingTimeline timeline(mappings);
  timeline.advance(10);
  EXPECT_EQ(timeline.find(0x1000), 1U);
  timeline.advance(100);
  EXPECT_EQ(timeline.find(0x1000), 0U);
  EXPECT_EQ(timeline.find(0x2000), 1U);
}

// For any mappings the answer is that of looking through all of them.
TEST(MappingTimeline, AgreesWithLookingThroughAll) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; round++) {
    std::vector<CapturedMapping> mappings;
    for (std::size_t i = 0; i < 1 + random() % 20; i++) {
      const std::uint64_t start = random() % 30;
      mappings.push_back(mapping(start, start + random() % 12, random() % 6));
    }
    MappingTimeline timeline(mappings);
    for (std::uint64_t time = 0; time < 7; time++) {
      timeline.advance(time);
      for (std::uint64_t address = 0; address < 45; address++) {
        std::uint32_t past = MappingTimeline::kNone;
        std::uint32_t later = MappingTimeline::kNone;
        for (std::uint32_t i = 0; i < mappings.size(); i++) {
          const CapturedMapping& m = mappings[i];
          if (address < m.start || address >= m.end) continue;
          if (m.time_ns <= time) {
            if (past == MappingTimeline::kNone || mappings[past].time_ns <= m.time_ns) past = i;
          } else if (later == MappingTimeline::kNone || m.time_ns < mappings[later].time_ns) {
            later = i;
          }
        }
        ASSERT_EQ(timeline.find(address), past != MappingTimeline::kNone ? past : later);
      }
    }
  }
}

}  // namespace
}  // namespace perfgap
