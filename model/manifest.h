// The manifest: what a profile knows beyond pprof's fields, as one comment "perfgap:1 {json}".
//
// Besides the run it holds frame kinds and tiers by location id. Another program may renumber
// locations when it rewrites a file; the digest tells, and the reader then falls back on what the
// mapping's name says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/profile.h"
#include "model/run_info.h"

namespace perfgap {

inline constexpr std::string_view kAnyManifest = "perfgap:";  // of whatever version
inline constexpr std::string_view kManifestPrefix = "perfgap:1 ";
inline constexpr std::string_view kSummaryPrefix = "perfgap ";  // of the comment that follows it

// Locations first..last have this value.
template <typename Value>
struct IdRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  Value value{};
};

template <typename Value>
using IdRanges = std::vector<IdRange<Value>>;  // ascending by `first`

template <typename Value>
std::optional<Value> value_of(const IdRanges<Value>& ranges, std::uint64_t id) {
  const auto after = std::ranges::upper_bound(ranges, id, {}, &IdRange<Value>::first);
  if (after == ranges.begin() || std::prev(after)->last < id) return std::nullopt;
  return std::prev(after)->value;
}

struct LocationDigest {
  std::uint64_t count = 0;
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, 64 bits

  void add(std::uint64_t id, std::uint64_t address);
  void add_line(std::uint64_t line) { mix(line); }
  bool operator==(const LocationDigest&) const = default;

 private:
  void mix(std::uint64_t value);
};

struct Manifest {
  RunInfo run;
  std::uint64_t samples = 0;  // in the whole file, so that a truncated one can say what it lost
  bool escaped = false;       // strings are as escape_to_utf8() leaves them
  LocationDigest locations;
  IdRanges<FrameKind> kinds;  // where kind_of_mapping() would be wrong
  IdRanges<Tier> tiers;       // where there is one
};

// The kind of a physical frame that nothing else tells.
FrameKind kind_of_mapping(std::string_view file);

std::string manifest_comment(const Manifest& manifest);
Result<Manifest> manifest_from_comment(std::string_view comment);

// The comment for people: what was measured, in one line.
std::string summary_comment(const RunInfo& run);

}  // namespace perfgap
