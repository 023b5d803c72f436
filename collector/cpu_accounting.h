// CPU time of the target in the window, by the kernel's own accounting: schedstat of living
// threads, exit records of ended ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/run_info.h"

namespace perfgap {

class CpuAccounting {
 public:
  // From now on the CPU time of `pid` counts; threads that live already start from what they have
  // used.
  void begin_process(std::uint64_t pid);
  // A process born in the window: all its CPU time counts.
  void begin_newborn(std::uint64_t pid);
  // The final figures of a thread, read by the kernel as it ended.
  void end_thread(std::uint64_t pid, std::uint64_t tid, const std::string& name, CpuUse use);
  // Reads the living threads of `pids`. Call at the end of the window, before results().
  void read_living(const std::vector<std::uint64_t>& pids);

  [[nodiscard]] std::vector<ThreadRun> results() const;  // by pid, then tid
  [[nodiscard]] CpuUse of_process(std::uint64_t pid) const;

 private:
  struct Thread {
    std::string name;
    CpuUse start;
    CpuUse end;
    CpuUse ended;  // of earlier threads that had the same id
  };
  void set_end(std::uint64_t pid, std::uint64_t tid, const std::string& name, CpuUse use);
  std::map<std::pair<std::uint64_t, std::uint64_t>, Thread> threads_;
};

}  // namespace perfgap
