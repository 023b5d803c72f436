// Utilisation, from the kernel's accounting and the samples' leaves.
#include "analyzers/utilisation.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace perfgap {
namespace {

constexpr double kIdleCores = 0.05;
constexpr double kBoundShare = 0.95;
constexpr double kLauncherShare = 0.10;  // of what its busy child used

class Accounting {
 public:
  explicit Accounting(const RunInfo& run)
      : run_(run), wall_ns_(static_cast<double>(run.run_ms) * 1e6) {
    for (const ProcessRun& process : run.processes) by_pid_.emplace(process.pid, &process);
  }

  [[nodiscard]] bool known() const { return wall_ns_ > 0 && !run_.processes.empty(); }

  [[nodiscard]] double cores(const CpuUse& use) const {
    return static_cast<double>(use.cpu_ns) / wall_ns_;
  }

  [[nodiscard]] CpuUse counted() const {
    CpuUse sum;
    for (const ProcessRun& process : run_.processes) {
      if (!process.counted) continue;
      sum.cpu_ns += process.use.cpu_ns;
      sum.wait_ns += process.use.wait_ns;
    }
    return sum;
  }

  [[nodiscard]] std::vector<Utilisation::Launcher> launchers() const {
    std::vector<Utilisation::Launcher> result;
    for (const ProcessRun& child : run_.processes) {
      const double child_cores = cores(child.use);
      if (child_cores < kIdleCores) continue;
      for (const ProcessRun* parent : requested_ancestors(child)) {
        const double parent_cores = cores(parent->use);
        if (parent_cores >= kIdleCores || parent_cores >= kLauncherShare * child_cores) continue;
        result.push_back({.pid = parent->pid,
                          .cores = parent_cores,
                          .child_pid = child.pid,
                          .child_command = child.command,
                          .child_cores = child_cores,
                          .counted = child.counted});
      }
    }
    std::ranges::sort(result, [](const auto& left, const auto& right) {
      return std::tie(left.pid, right.child_cores, left.child_pid) <
             std::tie(right.pid, left.child_cores, right.child_pid);
    });
    return result;
  }

 private:
  [[nodiscard]] std::vector<const ProcessRun*> requested_ancestors(
      const ProcessRun& process) const {
    std::vector<const ProcessRun*> ancestors;
    std::set<std::uint64_t> seen{process.pid};  // a saved file may hold a circle
    for (auto at = by_pid_.find(process.parent_pid);
         at != by_pid_.end() && seen.insert(at->first).second;
         at = by_pid_.find(at->second->parent_pid)) {
      if (at->second->requested) ancestors.push_back(at->second);
    }
    return ancestors;
  }

  const RunInfo& run_;
  double wall_ns_;
  std::map<std::uint64_t, const ProcessRun*> by_pid_;
};

Verdict verdict(const Utilisation& use, std::uint32_t cpus) {
  if (use.cores < kIdleCores) return Verdict::idle;
  const bool all_cpus = cpus > 0 && use.cores >= kBoundShare * cpus;
  return use.busiest_thread_cores >= kBoundShare || all_cpus ? Verdict::cpu_bound : Verdict::busy;
}

void split_user_and_kernel(const Profile& profile, const Measures& measures, Utilisation& use) {
  const EventInfo& event = profile.run.event;
  if (profile.run.empty() || event.excludes_kernel || event.excludes_user ||
      measures.total_weight() <= 0) {
    return;
  }
  std::int64_t kernel = 0;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const FrameId leaf = profile.node(profile.samples().stack[i]).frame;
    if (profile.frame(leaf).kind == FrameKind::kernel) kernel += measures.weight(i);
  }
  use.split_known = true;
  use.kernel_share =
      share_of(static_cast<double>(kernel), static_cast<double>(measures.total_weight()));
  use.user_share = 1 - use.kernel_share;
}

}  // namespace

Utilisation utilisation(const Profile& profile, const Measures& measures) {
  Utilisation use;
  split_user_and_kernel(profile, measures, use);
  const Accounting accounting(profile.run);
  if (!accounting.known()) return use;

  const CpuUse counted = accounting.counted();
  use.cores = accounting.cores(counted);
  use.wait_share =
      share_of(static_cast<double>(counted.wait_ns),
               static_cast<double>(counted.cpu_ns) + static_cast<double>(counted.wait_ns));
  for (const ThreadRun& thread : profile.run.threads) {
    const double cores = accounting.cores(thread.use);
    if (cores <= use.busiest_thread_cores) continue;
    use.busiest_thread_cores = cores;
    use.busiest_thread = thread.name;
  }
  use.verdict = verdict(use, profile.run.cpus_online);
  use.launchers = accounting.launchers();
  use.cpu_by_accounting_ns = static_cast<double>(counted.cpu_ns);
  return use;
}

}  // namespace perfgap
