// The file format: gzip'd pprof profile.proto, with the run's facts as a JSON manifest in one
// comment.
//
// Write then read gives an equal profile: whatever a sample reaches, its values, unknown labels,
// comments and manifest keys survive; and writing what was read gives the same bytes. Layout:
// docs/reference/file-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/error.h"
#include "model/profile.h"

namespace perfgap {

// The file's bytes, deterministic for equal profiles.
std::string write_pprof(const Profile& profile);

// More is refused, so that a small file cannot fill memory or keep a CPU busy.
struct PprofLimits {
  std::size_t uncompressed_bytes = std::size_t{512} << 20;
  std::size_t entries = 16'000'000;  // of all tables, samples and stack nodes included
  std::size_t frames = 256'000'000;  // of all samples' stacks, each as often as it occurs
};

struct PprofRead {
  Profile profile;
  std::string warning;  // what was lost: the tail of a truncated file, or what another program
                        // dropped that rewrote it; else empty
};

// Errors name what is wrong and the remedy, without the file's name (the caller adds it).
Result<PprofRead> read_pprof(std::string_view bytes, const PprofLimits& limits = {});

}  // namespace perfgap
