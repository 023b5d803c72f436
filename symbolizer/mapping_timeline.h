// Which mapping of one program image holds an address at a time.
//
// A mapping hides what it overlaps from its time on. Where nothing recorded so far holds an
// address, the earliest later mapping that does is taken: one that was found by reading the maps
// again.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/capture.h"

namespace perfgap {

class MappingTimeline {
 public:
  // `mappings` must outlive the result.
  explicit MappingTimeline(std::span<const CapturedMapping> mappings);

  // Moves on to `time_ns`; times must not decrease.
  void advance(std::uint64_t time_ns);
  // Index into the mappings, or kNone.
  [[nodiscard]] std::uint32_t find(std::uint64_t address) const;

  static constexpr std::uint32_t kNone = UINT32_MAX;

 private:
  struct Range {
    std::uint64_t end;
    std::uint32_t mapping;
  };
  using Ranges = std::map<std::uint64_t, Range>;  // by start, disjoint

  void paint(Ranges& ranges, std::uint32_t mapping) const;
  static std::uint32_t find_in(const Ranges& ranges, std::uint64_t address);

  std::span<const CapturedMapping> mappings_;
  std::vector<std::uint32_t> by_time_;
  std::size_t next_ = 0;  // of by_time_: the first not yet in current_
  Ranges current_;
  Ranges earliest_;
};

}  // namespace perfgap
