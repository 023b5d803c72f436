// What was measured and how: the facts of a run that no sample carries. Saved as the profile's
// manifest.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"

namespace perfgap {

// CPU time by the kernel's own accounting (schedstat), for the part of the run in which the thread
// lived.
struct CpuUse {
  std::uint64_t cpu_ns = 0;   // on a CPU
  std::uint64_t wait_ns = 0;  // runnable, waiting for a CPU
};

struct ThreadRun {
  std::uint64_t pid = 0;
  std::uint64_t tid = 0;
  std::string name;
  CpuUse use;
};

struct ProcessRun {
  std::uint64_t pid = 0;
  std::uint64_t parent_pid = 0;
  bool requested = false;  // named by --pid, not found as a descendant
  bool counted = true;     // its samples are in the profile; false for children under --no-children
  std::string comm;
  std::string command;  // command line at attach (or first seen), arguments joined by blanks
  std::vector<std::string>
      executables;  // paths of the programs it ran, as it saw them, in order; never empty
  std::vector<std::string> execs;  // command lines it turned into during the run, in order
  std::uint64_t began_ms = 0;      // since the start of the run; 0: lived already
  bool exited = false;
  std::uint64_t ended_ms = 0;  // since the start of the run, when exited
  int exit_status = 0;         // wait status when exited: exit code, or 128 + signal
  CpuUse use;                  // sum over its threads, those that ended included
};

struct EventInfo {
  std::string requested;  // as asked: "cycles", "cycles:u", ...
  std::string name;       // as opened: "cpu-clock"
  std::string reason;     // why they differ, e.g. "no hardware PMU here"; empty when they do not
  bool excludes_kernel = false;
  bool excludes_user = false;
};

struct Overhead {
  std::uint64_t probe_ns = 0;          // run time of the BPF programs, all CPUs
  std::uint64_t collector_cpu_ns = 0;  // CPU of this program while sampling
};

struct RunInfo {
  std::string tool_version;
  std::string host;
  std::string kernel;   // release, e.g. "6.18.44"
  std::string machine;  // "x86_64"
  std::uint32_t cpus_online = 0;
  std::uint32_t cpus_sampled = 0;
  std::string backend;    // "BPF"
  std::string unwinding;  // "frame pointers"
  EventInfo event;
  std::uint64_t rate_asked_hz = 0;
  std::uint64_t rate_opened_hz = 0;  // after clamping to the kernel's limit
  std::int64_t start_unix_ns = 0;
  std::uint64_t asked_ms = 0;  // window asked for
  std::uint64_t run_ms = 0;  // window measured: ends early on Ctrl-C or when the last target exits
  std::string end_reason;    // "duration", "interrupted", "target ended"
  bool follows_children = true;
  std::vector<ProcessRun> processes;
  std::vector<ThreadRun> threads;  // of counted processes
  std::map<std::string, std::uint64_t>
      losses;  // samples lost by cause: "ring full", "scratch busy", ...
  Overhead overhead;
  std::string rule_hash;
  std::vector<std::string> notes;  // for the reader: hidden kernel symbols, refused perf maps, ...
  std::string unknown_json;  // keys of a manifest that this version does not know, as one JSON
                             // object; or empty

  [[nodiscard]] bool empty() const { return tool_version.empty(); }
};

// The manifest's JSON, one line, keys in a fixed order. Frame kinds and tiers are added by the
// pprof writer.
std::string run_info_to_json(const RunInfo& run);
// Its inverse; keys that are missing keep their defaults, unknown ones go to `unknown_json`.
Result<RunInfo> run_info_from_json(std::string_view json);

}  // namespace perfgap
