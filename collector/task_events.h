// The kernel's own record of what processes map and execute: a dummy event per CPU whose ring
// carries MMAP2 and COMM records of the whole machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "collector/proc_fs.h"
#include "model/error.h"

namespace perfgap {

struct MapEvent {
  ProcMapping mapping;
};
struct ExecEvent {
  std::string comm;
};
// pid and tid of the initial pid namespace; time is CLOCK_MONOTONIC.
struct TaskEvent {
  std::uint64_t time_ns = 0;
  std::uint64_t pid = 0;
  std::uint64_t tid = 0;
  std::variant<MapEvent, ExecEvent> what;
};

class TaskEvents {
 public:
  // Opens the events; recording starts at once.
  static Result<TaskEvents> open(const std::vector<std::uint32_t>& cpus);
  TaskEvents(TaskEvents&&) noexcept;
  TaskEvents& operator=(TaskEvents&&) noexcept;
  ~TaskEvents();

  // Appends all records since the last call, in the order of each CPU.
  void drain(std::vector<TaskEvent>& events);
  // Descriptors that become readable when records wait.
  [[nodiscard]] std::vector<int> descriptors() const;
  // Records that the kernel had to drop.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  class Ring;
  TaskEvents();
  std::vector<std::unique_ptr<Ring>> rings_;
  std::uint64_t lost_ = 0;
};

// One perf record (perf_event_open(2), "record layout") of type `type`, `body` being what follows
// its header; the trailer of sample_id_all with TID and TIME is its last 16 bytes. False if it is
// not one that TaskEvents hands on.
bool parse_task_record(std::uint32_t type, std::uint16_t misc, const std::byte* body,
                       std::size_t size, TaskEvent& event);

}  // namespace perfgap
