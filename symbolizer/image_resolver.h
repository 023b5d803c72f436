// Frames for the addresses of one program image: mapped files, the vDSO, JIT code by the perf map.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/capture.h"
#include "model/profile.h"
#include "symbolizer/mapping_timeline.h"
#include "symbolizer/modules.h"
#include "symbolizer/perf_map.h"

namespace perfgap {

class ImageResolver {
 public:
  // `addresses`: every place that will be asked for, ascending, each once; a caller's is one byte
  // before its return address. All references must outlive the result.
  ImageResolver(Profile& profile, Modules& modules, const CapturedImage& image,
                std::span<const std::uint64_t> addresses);

  // Times must not decrease.
  void advance(std::uint64_t time_ns) { timeline_.advance(time_ns); }
  ResolvedFrame resolve(std::uint64_t address, bool is_caller);

  // What the reader must know about this image's perf map; `pid` is whose it is.
  [[nodiscard]] std::vector<std::string> notes(std::uint64_t pid) const;

 private:
  struct Key {
    std::uint64_t address;
    std::uint32_t mapping;
    bool is_caller;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  ResolvedFrame resolve_uncached(const Key& key);
  ResolvedFrame in_file(const CapturedMapping& mapping, std::uint64_t address);
  ResolvedFrame jit_frame(const PerfMap::Entry& entry, std::uint64_t address);
  ResolvedFrame unnamed_frame(std::string_view module, std::uint64_t address);

  Profile& profile_;
  Modules& modules_;
  const CapturedImage& image_;
  MappingTimeline timeline_;
  PerfMap perf_map_;
  std::unordered_map<Key, ResolvedFrame, KeyHash> known_;
  std::size_t reused_ = 0;
};

}  // namespace perfgap
