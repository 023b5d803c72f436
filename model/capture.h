// A capture: what the collector wrote. Raw addresses, mappings, processes and counters; no names
// yet.
//
// Times are CLOCK_MONOTONIC nanoseconds. A process may live through several images (one per exec);
// a sample belongs to the image whose begin is the last one not after the sample. Within an image,
// a mapping recorded later hides what it overlaps for samples from its time on; one found only by
// re-reading the maps may serve earlier samples that nothing else covers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/profile.h"
#include "model/run_info.h"
#include "model/unique_fd.h"

namespace perfgap {

// A file that code or names are read from, kept open from the moment it was seen so that it can be
// read after the process, its mount namespace or its directory entry is gone. Shared by every
// mapping of the same inode.
struct CapturedFile {
  std::string path;  // as the target saw it, " (deleted)" removed
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool deleted = false;
  UniqueFd fd;             // read-only regular file; invalid if it could not be opened
  std::string open_error;  // why not
};

struct CapturedMapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t time_ns = 0;  // 0: there at attach
  std::string name;           // path, "[vdso]", "//anon", "[heap]", "/memfd:x (deleted)", ...
  std::shared_ptr<const CapturedFile> file;  // null for memory without a file
};

// One program that a process ran, from attach or exec on.
struct CapturedImage {
  std::uint64_t begin_ns = 0;
  std::string comm;
  std::vector<CapturedMapping> mappings;  // executable ones, in the order they were recorded
  std::shared_ptr<const CapturedFile> executable;
  std::vector<std::byte> vdso;  // its bytes, empty if they could not be read
  std::string perf_map;         // text of /tmp/perf-PID.map, read at attach and its tail at the end
  std::string perf_map_problem;  // why a map that exists was refused or cut; empty otherwise
};

struct CapturedProcess {
  std::uint64_t pid = 0;
  std::uint64_t begin_ns = 0;  // 0: lived at attach
  std::uint64_t end_ns = UINT64_MAX;
  std::vector<CapturedImage> images;  // never empty, ascending begin_ns
};

// Raw stacks, each distinct one stored once. Frames leaf first.
class RawStacks {
 public:
  RawStacks();
  // Index of the stack; 0 is the empty one.
  std::uint32_t intern(std::span<const std::uint64_t> addresses);
  [[nodiscard]] std::span<const std::uint64_t> at(std::uint32_t index) const;
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }

 private:
  struct Range {
    std::size_t begin;
    std::size_t count;
  };
  std::vector<std::uint64_t> addresses_;
  std::vector<Range> ranges_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;
};

struct CapturedSample {
  std::uint64_t time_ns = 0;
  std::uint64_t weight = 0;   // the event's own period: ns for clocks, else counts of the event
  std::uint32_t process = 0;  // index into Capture::processes
  std::uint32_t tid = 0;
  std::uint32_t thread_name = 0;  // index into Capture::thread_names
  std::uint32_t cpu = 0;
  std::uint32_t kernel_stack = 0;
  std::uint32_t user_stack = 0;
  Outcome outcome =
      Outcome::unknown;  // of the raw walk; `complete` here means: stopped at a zero frame pointer
};

struct Capture {
  RunInfo run;
  std::uint64_t start_ns = 0;  // of the window
  std::string weight_type;     // "cpu" or the event's name
  std::string weight_unit;     // "nanoseconds" or "count"
  std::int64_t period = 0;     // nominal distance of samples, in weight_unit
  std::vector<CapturedProcess> processes;
  std::vector<std::string> thread_names;
  RawStacks stacks;
  std::vector<CapturedSample> samples;
};

}  // namespace perfgap
