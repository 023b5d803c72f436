// Which entries of a profile's tables go to its file, and in which order.
//
// Only what a sample reaches is written, each table in the order of its ids. A reader that interns
// in file order gets the same order back, so that writing what was read gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/profile.h"

namespace perfgap {

// Frames of one location, innermost first: inlined ones, then the physical one they lie in.
using FrameChain = std::vector<FrameId>;

// pprof looks names up by itself in a mapping that claims to have none.
struct MappingFlags {
  bool used = false;
  bool functions = false;
  bool filenames = false;
  bool line_numbers = false;
  bool inline_frames = false;
};

// Ids in the file count from 1: the position in the table.
struct PprofLayout {
  std::vector<FrameChain> locations;
  std::unordered_map<StackId, std::vector<std::uint64_t>> stacks;  // location ids, leaf first
  std::vector<FunctionId> functions;
  std::vector<std::uint64_t> function_ids;  // by FunctionId; 0: not in the file
  std::vector<MappingId> mappings;          // the main program's first
  std::vector<std::uint64_t> mapping_ids;   // by MappingId; 0: not in the file
  std::vector<MappingFlags> mapping_flags;  // by MappingId
  std::string added_main;  // the main program, first mapping though no sample reaches it; or empty
};

PprofLayout lay_out(const Profile& profile);

// Whether a location needs a line for this frame.
bool has_line(const Frame& frame);

}  // namespace perfgap
