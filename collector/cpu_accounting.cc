#include "collector/cpu_accounting.h"

#include "collector/proc_fs.h"

namespace perfgap {
namespace {

std::uint64_t difference(std::uint64_t end, std::uint64_t start) {
  return end > start ? end - start : 0;
}

}  // namespace

void CpuAccounting::begin_process(std::uint64_t pid) {
  for (const std::uint64_t tid : read_thread_ids(pid)) {
    const auto use = read_thread_cpu(pid, tid);
    if (!use) continue;
    threads_[{pid, tid}] = {
        .name = read_thread_name(pid, tid), .start = *use, .end = *use, .ended = {}};
  }
}

void CpuAccounting::begin_newborn(std::uint64_t pid) {
  threads_.try_emplace({pid, pid});
}

void CpuAccounting::set_end(std::uint64_t pid, std::uint64_t tid, const std::string& name,
                            CpuUse use) {
  Thread& thread = threads_[{pid, tid}];  // a thread born in the window starts from zero
  if (!name.empty()) thread.name = name;
  thread.end = use;
}

void CpuAccounting::end_thread(std::uint64_t pid, std::uint64_t tid, const std::string& name,
                               CpuUse use) {
  set_end(pid, tid, name, use);
  Thread& thread = threads_[{pid, tid}];
  thread.ended.cpu_ns += difference(thread.end.cpu_ns, thread.start.cpu_ns);
  thread.ended.wait_ns += difference(thread.end.wait_ns, thread.start.wait_ns);
  thread.start = thread.end = {};  // the id may be used again
}

void CpuAccounting::read_living(const std::vector<std::uint64_t>& pids) {
  for (const std::uint64_t pid : pids)
    for (const std::uint64_t tid : read_thread_ids(pid))
      if (const auto use = read_thread_cpu(pid, tid))
        set_end(pid, tid, read_thread_name(pid, tid), *use);
}

std::vector<ThreadRun> CpuAccounting::results() const {
  std::vector<ThreadRun> runs;
  for (const auto& [id, thread] : threads_)
    runs.push_back(
        {.pid = id.first,
         .tid = id.second,
         .name = thread.name,
         .use = {.cpu_ns = thread.ended.cpu_ns + difference(thread.end.cpu_ns, thread.start.cpu_ns),
                 .wait_ns =
                     thread.ended.wait_ns + difference(thread.end.wait_ns, thread.start.wait_ns)}});
  return runs;
}

CpuUse CpuAccounting::of_process(std::uint64_t pid) const {
  CpuUse sum;
  for (const ThreadRun& run : results()) {
    if (run.pid != pid) continue;
    sum.cpu_ns += run.use.cpu_ns;
    sum.wait_ns += run.use.wait_ns;
  }
  return sum;
}

}  // namespace perfgap
