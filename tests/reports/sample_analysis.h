// A small result made by hand, so that the reports are tested against figures a reader can check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzers/analysis.h"

namespace perfgap {

inline constexpr std::int64_t kPeriodNs = 2'000'000;

// Each part is filled as the analyzers would: roll-ups before their rows, the fixed rows last, sums
// exact.
struct SampleAnalysis {
  Profile profile;
  Analysis analysis;

  SampleAnalysis();
  SampleAnalysis(const SampleAnalysis&) = delete;
  SampleAnalysis& operator=(const SampleAnalysis&) = delete;

  // The same run without a single sample, as of a process that slept.
  void make_idle();
};

struct CategoryCounts {
  std::string name;
  std::int64_t spent_in = 0;        // samples
  std::int64_t passes_through = 0;  // samples
};

// Rows with Wilson intervals; first parts of dotted names become roll-ups, in the order given.
std::vector<CategoryShare> category_rows(const std::vector<CategoryCounts>& counts);

}  // namespace perfgap
