// Finding the processes to sample and making sure that they are the ones meant.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collector/proc_fs.h"
#include "model/error.h"
#include "model/unique_fd.h"

namespace perfgap {

// A process named by its id. While `handle` (a pidfd) is open, alive() tells this very process from
// a later one that was given the same id.
struct NamedTarget {
  ProcStat stat;
  UniqueFd handle;

  [[nodiscard]] bool alive() const;
};

// Opens each pid. Those that are gone cost a line to `diagnostic` as long as one is left; a pid
// that exists but can never be sampled (kernel thread, no rights) is an error.
Result<std::vector<NamedTarget>> open_targets(
    const std::vector<std::uint64_t>& pids,
    const std::function<void(const std::string&)>& diagnostic);

// The rights that sampling by BPF needs, or an error that names `pid` and what is missing.
Result<void> check_rights(std::uint64_t pid);

}  // namespace perfgap
