// The outer layer of a profile file: gzip around protobuf fields. Looks at no field's inside.
//
// Every step is checked before the next is unpacked, so that what is not a profile is refused after
// its first few bytes and a small file that unpacks to a huge one never gets to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/pprof.h"

namespace perfgap::pprof {

// Thrown within this folder only; what() is the whole line for the user.
class BadFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "damaged: CAUSE; take another copy of the file".
BadFile damaged(const std::string& cause);

struct Unpacked {
  std::string fields;      // whole ones only
  std::string truncation;  // "truncated after 81,920 bytes", or empty
};

// Throws BadFile.
Unpacked unpack(std::string_view file, const PprofLimits& limits);

std::string with_commas(std::uint64_t number);

}  // namespace perfgap::pprof
