// The file format: gzip'd pprof profile.proto, with the run's facts as a JSON manifest in one comment.
//
// write then read gives an equal profile: tables, columns, unknown labels, comments and manifest keys survive. Layout:
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

struct PprofLimits {
  std::size_t uncompressed_bytes = std::size_t{2} << 30;  // more is refused, so that a small file cannot fill memory
};

struct PprofRead {
  Profile profile;
  std::string warning;  // what was cut, if the file was truncated but whole samples could be kept; else empty
};

// Errors name what is wrong and the remedy, without the file's name (the caller adds it).
Result<PprofRead> read_pprof(std::string_view bytes, const PprofLimits& limits = {});

}  // namespace perfgap
