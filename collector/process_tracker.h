// The life of every followed process: its images, mappings and files as they change, kept in the
// capture.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bpf/wire.h"
#include "collector/cpu_accounting.h"
#include "collector/target_files.h"
#include "collector/task_events.h"
#include "model/capture.h"

namespace perfgap {

class ProcessTracker {
 public:
  // Writes to `capture.processes`; the capture must outlive this.
  explicit ProcessTracker(Capture& capture);

  // A process that lives now. `counted`: its samples are wanted.
  void add_living(const ProcStat& stat, bool requested, bool counted);
  [[nodiscard]] bool knows(std::uint64_t pid) const { return live_.contains(pid); }

  // Changes, to be told in the order of time.
  void forked(std::uint64_t parent_pid, std::uint64_t child_pid, std::uint64_t time_ns);
  void changed(const TaskEvent& event);
  void thread_ended(const thread_exit_record& record);
  // Completes what could not be read at once: an exec is announced before its arguments are in
  // place.
  void settle();

  // CPU time counts from now on.
  void begin_window(std::uint64_t time_ns);
  // Reads again what the kernel does not announce: mappings made executable later, perf maps that
  // grew.
  void refresh(std::uint64_t time_ns);
  // The process a sample belongs to, as index into capture.processes; one that was never announced
  // is added.
  std::uint32_t process_of_sample(std::uint64_t pid, std::uint64_t time_ns);

  // Ends the processes that the kernel follows no longer though no exit record said so (it was
  // lost).
  void drop_vanished(const std::function<bool(std::uint64_t pid)>& is_followed);
  [[nodiscard]] bool any_counted_alive() const;
  // The last reading; fills run.processes and run.threads. `children` are descendants that were not
  // followed.
  void finish(std::uint64_t end_ns, const std::vector<ProcStat>& uncounted_children);

 private:
  struct Live {
    std::uint32_t captured = 0;  // index into capture.processes
    std::size_t run = 0;         // index into capture.run.processes
    PerfMapReader perf_map;
    bool command_pending = false;  // the newest program's command line has not been read yet
    int missed = 0;                // times in a row that drop_vanished() did not find it
  };
  Live& add(std::uint64_t pid, std::uint64_t parent_pid, const std::string& comm,
            std::uint64_t begin_ns);
  void read_image(std::uint64_t pid, CapturedImage& image, std::uint64_t time_ns);
  void note_program(std::uint64_t pid, const CapturedImage& image, bool by_exec);
  void add_mapping(std::uint64_t pid, CapturedImage& image, const ProcMapping& mapping,
                   std::uint64_t time_ns);
  [[nodiscard]] std::uint64_t since_start_ms(std::uint64_t time_ns) const;
  CapturedImage& current_image(const Live& live);
  ProcessRun& run_of(const Live& live);

  Capture& capture_;
  FileStore files_;
  CpuAccounting cpu_;
  std::vector<std::byte> vdso_;
  std::map<std::uint64_t, Live> live_;  // by pid
  std::map<std::uint64_t, std::uint32_t>
      last_of_pid_;  // the newest captured process of a pid, ended or not
};

}  // namespace perfgap
