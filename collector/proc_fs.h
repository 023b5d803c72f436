// What /proc says about processes and threads. Every read is of the moment; a process may be gone
// at the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/run_info.h"

namespace perfgap {

// One line of /proc/PID/stat (proc_pid_stat(5)).
struct ProcStat {
  std::uint64_t pid = 0;
  std::uint64_t parent_pid = 0;
  std::string comm;
  char state = '?';
  bool kernel_thread = false;
  std::uint64_t start_ticks = 0;  // since boot; with the pid, the identity of a process
};
std::optional<ProcStat> parse_proc_stat(std::string_view line);
std::optional<ProcStat> read_proc_stat(std::uint64_t pid);

// One executable mapping of /proc/PID/maps.
struct ProcMapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t device = 0;  // makedev(major, minor)
  std::uint64_t inode = 0;   // 0: no file
  std::string name;  // "//anon" for memory without a name, as the kernel's mmap events spell it
};
std::optional<ProcMapping> parse_proc_mapping(std::string_view line);
std::vector<ProcMapping> read_executable_mappings(std::uint64_t pid);

// Arguments joined by blanks, at most 4096 bytes; the comm in brackets where there are none.
std::string read_command_line(std::uint64_t pid);
// The program's path as the process sees it, empty if it cannot be read.
std::string read_executable_path(std::uint64_t pid);
std::vector<std::uint64_t> read_thread_ids(std::uint64_t pid);
// The id under which /proc shows the process's memory and files: its own, or where its leader has
// ended and other threads go on, that of one of these.
std::uint64_t id_with_memory(std::uint64_t pid);
std::string read_thread_name(std::uint64_t pid, std::uint64_t tid);
// schedstat of one thread since its start; nullopt if it is gone or the kernel keeps none.
std::optional<CpuUse> read_thread_cpu(std::uint64_t pid, std::uint64_t tid);

struct ProcCredentials {
  std::uint64_t user_id = 0;    // effective
  std::uint64_t inner_pid = 0;  // in the innermost pid namespace of the process
};
std::optional<ProcCredentials> read_credentials(std::uint64_t pid);

// All living descendants of `roots`, the roots themselves left out; parents before children.
std::vector<ProcStat> descendants_of(const std::vector<std::uint64_t>& roots);

// Whole small text file, at most `limit` bytes; empty if it cannot be read.
std::string read_small_file(const std::string& path, std::size_t limit = 1 << 20);

}  // namespace perfgap
