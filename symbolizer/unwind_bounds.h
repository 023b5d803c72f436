// Where functions begin and end according to a file's unwind information (.eh_frame_hdr): known
// even in stripped files.
#pragma once

#include <cstdint>
#include <optional>

#include "symbolizer/elf_file.h"

namespace perfgap {

struct FunctionBounds {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

// Bounds of the code that one unwind entry describes and that holds `address`; nullopt if there is
// no such entry, or it is of a form that compilers for x86-64 do not write.
std::optional<FunctionBounds> unwind_bounds(const ElfFile& file, std::uint64_t address);

}  // namespace perfgap
