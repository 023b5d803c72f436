// Opening the target's files as hostile input: never through links out of its root, regular files
// only, and early, so that they can be read after the process or its mount namespace is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collector/proc_fs.h"
#include "model/capture.h"

namespace perfgap {

// Opens each mapped file once, whoever maps it.
class FileStore {
 public:
  // The file behind a mapping of `pid`; null for memory without a file. A file that cannot be
  // opened comes with its reason.
  std::shared_ptr<const CapturedFile> open_mapped(std::uint64_t pid, const ProcMapping& mapping);
  // The program that `pid` runs now.
  std::shared_ptr<const CapturedFile> open_executable(std::uint64_t pid);

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<const CapturedFile>> by_inode_;
};

// Follows /tmp/perf-PID.map of one process, by its inner pid and in its own mount namespace.
//
// Accepted only as a regular file that belongs to the target's user or to root and was written to
// since the process began. Growth is read from where the last reading ended; a file that was
// written anew, or another one in its place, is read from its start, after what was read before.
// What was read stays when the file vanishes. At most kPerfMapBytes are kept.
class PerfMapReader {
 public:
  static constexpr std::size_t kPerfMapBytes = std::size_t{256} << 20;

  // Reads what is new, for the image that runs now; sets image.perf_map and image.perf_map_problem.
  void update(std::uint64_t pid, CapturedImage& image);

 private:
  [[nodiscard]] bool continues(const std::string& text) const;
  UniqueFd fd_;
  std::size_t read_bytes_ = 0;  // of fd_'s file; the end of the text
};

// The bytes of this machine's vDSO, which every 64-bit process maps alike; empty if there is none.
std::vector<std::byte> read_vdso();

}  // namespace perfgap
