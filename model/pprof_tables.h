// Mappings, functions and locations of a pprof file, as the profile's frames.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/manifest.h"
#include "model/pprof_input.h"
#include "model/profile.h"

namespace perfgap::pprof {

class InputTables {
 public:
  InputTables(Profile& profile, InputStrings& strings, Budget& budget)
      : profile_(profile), strings_(strings), budget_(budget) {}

  // `manifest` may be null.
  void read(std::string_view profile_fields, const Manifest* manifest);
  // Frames of a location, innermost first.
  [[nodiscard]] std::span<const FrameId> frames_of(std::uint64_t location) const;
  // Kinds and tiers were dropped, as the manifest speaks of other locations than these.
  [[nodiscard]] bool dropped_kinds() const { return dropped_kinds_; }

 private:
  struct Line {
    FunctionId function;
    std::uint32_t line = 0;
  };
  struct Location {
    std::uint64_t id = 0;
    MappingId mapping;
    std::uint64_t address = 0;
    std::size_t first_line = 0;
    std::size_t lines = 0;
  };
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  void read_mapping(std::string_view bytes);
  void read_function(std::string_view bytes);
  void read_location(std::string_view bytes);
  void read_line(std::string_view bytes);
  [[nodiscard]] bool describes_these(const Manifest& manifest) const;
  void make_frames(const Manifest* manifest);

  Profile& profile_;
  InputStrings& strings_;
  Budget& budget_;
  std::unordered_map<std::uint64_t, MappingId> mappings_;
  std::unordered_map<std::uint64_t, FunctionId> functions_;
  std::vector<Line> lines_;
  std::vector<Location> locations_;
  std::vector<FrameId> frames_;
  std::unordered_map<std::uint64_t, Range> frames_of_;
  bool dropped_kinds_ = false;
};

}  // namespace perfgap::pprof
