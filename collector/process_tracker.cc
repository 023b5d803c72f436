#include "collector/process_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ranges>

namespace perfgap {
namespace {

constexpr int kSignalBase = 128;

// A wait(2) status as a shell shows it: the exit code, or 128 + the signal.
int shell_status(std::uint32_t wait_status) {
  const int signal = static_cast<int>(wait_status & 0x7f);
  return signal != 0 ? kSignalBase + signal : static_cast<int>((wait_status >> 8) & 0xff);
}

bool covers_already(const CapturedImage& image, const ProcMapping& mapping) {
  // Newest first: a later mapping hides an older one of the same place.
  for (const auto& known : image.mappings | std::views::reverse) {
    if (known.end <= mapping.start || mapping.end <= known.start) continue;
    return known.start <= mapping.start && mapping.end <= known.end && known.name == mapping.name &&
           known.file_offset - known.start == mapping.file_offset - mapping.start;
  }
  return false;
}

std::string text_of(const char (&name)[WIRE_COMM_BYTES]) {
  return {name, strnlen(name, WIRE_COMM_BYTES)};
}

}  // namespace

ProcessTracker::ProcessTracker(Capture& capture) : capture_(capture), vdso_(read_vdso()) {}

CapturedImage& ProcessTracker::current_image(const Live& live) {
  return capture_.processes[live.captured].images.back();
}

ProcessRun& ProcessTracker::run_of(const Live& live) {
  return capture_.run.processes[live.run];
}

std::uint64_t ProcessTracker::since_start_ms(std::uint64_t time_ns) const {
  return time_ns > capture_.start_ns ? (time_ns - capture_.start_ns) / 1'000'000 : 0;
}

ProcessTracker::Live& ProcessTracker::add(std::uint64_t pid, std::uint64_t parent_pid,
                                          const std::string& comm, std::uint64_t begin_ns) {
  Live& live = live_[pid];
  live = {};
  live.captured = static_cast<std::uint32_t>(capture_.processes.size());
  live.run = capture_.run.processes.size();
  last_of_pid_[pid] = live.captured;
  capture_.processes.emplace_back(CapturedProcess{.pid = pid, .begin_ns = begin_ns});
  auto& image = capture_.processes.back().images.emplace_back();
  image.begin_ns = begin_ns;
  image.comm = comm;
  image.vdso = vdso_;
  auto& run = capture_.run.processes.emplace_back();
  run.pid = pid;
  run.parent_pid = parent_pid;
  run.comm = comm;
  run.began_ms = begin_ns == 0 ? 0 : since_start_ms(begin_ns);
  return live;
}

void ProcessTracker::add_mapping(std::uint64_t pid, CapturedImage& image,
                                 const ProcMapping& mapping, std::uint64_t time_ns) {
  if (covers_already(image, mapping)) return;
  image.mappings.push_back({.start = mapping.start,
                            .end = mapping.end,
                            .file_offset = mapping.file_offset,
                            .time_ns = time_ns,
                            .name = mapping.name,
                            .file = files_.open_mapped(pid, mapping)});
}

void ProcessTracker::read_image(std::uint64_t pid, CapturedImage& image, std::uint64_t time_ns) {
  for (const ProcMapping& mapping : read_executable_mappings(pid))
    add_mapping(pid, image, mapping, time_ns);
  live_[pid].perf_map.update(pid, image);
}

void ProcessTracker::note_program(std::uint64_t pid, const CapturedImage& image, bool by_exec) {
  ProcessRun& run = run_of(live_[pid]);
  const std::string command = read_command_line(pid);
  live_[pid].command_pending = by_exec;
  if (by_exec)
    run.execs.push_back(command.empty() ? image.comm : command);
  else
    run.command = command;
  if (image.executable) run.executables.push_back(image.executable->path);
}

void ProcessTracker::add_living(const ProcStat& stat, bool requested, bool counted) {
  if (knows(stat.pid)) return;
  const Live& live = add(stat.pid, stat.parent_pid, stat.comm, 0);
  run_of(live).requested = requested;
  run_of(live).counted = counted;
  CapturedImage& image = current_image(live);
  image.executable = files_.open_executable(stat.pid);
  note_program(stat.pid, image, false);
  if (counted) read_image(stat.pid, image, 0);
}

void ProcessTracker::forked(std::uint64_t parent_pid, std::uint64_t child_pid,
                            std::uint64_t time_ns) {
  if (knows(child_pid)) return;  // found in /proc before its record was read
  const auto parent = live_.find(parent_pid);
  Live& child = add(child_pid, parent_pid, "", time_ns);
  cpu_.begin_newborn(child_pid);
  if (parent == live_.end()) return;
  CapturedImage& image = current_image(child);
  const CapturedImage& inherited = current_image(parent->second);
  image.comm = inherited.comm;
  image.mappings = inherited.mappings;
  image.executable = inherited.executable;
  ProcessRun& run = run_of(child);
  const ProcessRun& parent_run = run_of(parent->second);
  run.comm = parent_run.comm;
  run.command = parent_run.execs.empty() ? parent_run.command : parent_run.execs.back();
  if (!parent_run.executables.empty()) run.executables.push_back(parent_run.executables.back());
}

void ProcessTracker::changed(const TaskEvent& event) {
  const auto found = live_.find(event.pid);
  if (found == live_.end() || !run_of(found->second).counted) return;
  Live& live = found->second;
  if (const auto* map = std::get_if<MapEvent>(&event.what)) {
    add_mapping(event.pid, current_image(live), map->mapping, event.time_ns);
    return;
  }
  const auto& exec = std::get<ExecEvent>(event.what);
  live.perf_map = {};
  auto& image = capture_.processes[live.captured].images.emplace_back();
  image.begin_ns = event.time_ns;
  image.comm = exec.comm;
  image.vdso = vdso_;
  image.executable = files_.open_executable(event.pid);
  run_of(live).comm = exec.comm;
  note_program(event.pid, image, true);
}

void ProcessTracker::settle() {
  for (auto& [pid, live] : live_) {
    if (!live.command_pending) continue;
    const std::string command = read_command_line(pid);
    if (!command.empty()) run_of(live).execs.back() = command;
    live.command_pending = command.starts_with('[');
  }
}

void ProcessTracker::thread_ended(const thread_exit_record& record) {
  const auto found = live_.find(record.header.pid);
  if (found == live_.end()) return;
  cpu_.end_thread(record.header.pid, record.header.tid, text_of(record.thread_name),
                  {.cpu_ns = record.cpu_ns, .wait_ns = record.wait_ns});
  if (record.group_dead == 0) return;
  ProcessRun& run = run_of(found->second);
  run.exited = true;
  run.ended_ms = since_start_ms(record.header.time_ns);
  run.exit_status = shell_status(record.exit_code);
  capture_.processes[found->second.captured].end_ns = record.header.time_ns;
  live_.erase(found);
}

void ProcessTracker::begin_window(std::uint64_t time_ns) {
  capture_.start_ns = time_ns;
  for (const auto& [pid, live] : live_) cpu_.begin_process(pid);
}

void ProcessTracker::refresh(std::uint64_t time_ns) {
  for (const auto& [pid, live] : live_)
    if (run_of(live).counted) read_image(pid, current_image(live), time_ns);
}

std::uint32_t ProcessTracker::process_of_sample(std::uint64_t pid, std::uint64_t time_ns) {
  const auto known = last_of_pid_.find(pid);
  if (known != last_of_pid_.end()) return known->second;
  const auto stat = read_proc_stat(pid);
  const Live& live = add(pid, stat ? stat->parent_pid : 0, stat ? stat->comm : "", time_ns);
  CapturedImage& image = current_image(live);
  image.executable = files_.open_executable(pid);
  note_program(pid, image, false);
  read_image(pid, image, time_ns);
  return live.captured;
}

void ProcessTracker::drop_vanished(const std::function<bool(std::uint64_t pid)>& is_followed) {
  for (auto it = live_.begin(); it != live_.end();) {
    Live& live = it->second;
    live.missed = run_of(live).counted && !is_followed(it->first) ? live.missed + 1 : 0;
    // A record may still be on its way at the first miss.
    const bool vanished = live.missed >= 2;
    run_of(live).exited |= vanished;
    it = vanished ? live_.erase(it) : std::next(it);
  }
}

bool ProcessTracker::any_counted_alive() const {
  return std::ranges::any_of(live_, [this](const auto& entry) {
    return capture_.run.processes[entry.second.run].counted;
  });
}

void ProcessTracker::finish(std::uint64_t end_ns, const std::vector<ProcStat>& uncounted_children) {
  refresh(end_ns);
  for (const ProcStat& stat : uncounted_children) {
    if (knows(stat.pid)) continue;
    cpu_.begin_newborn(stat.pid);
    add_living(stat, false, false);
  }
  std::vector<std::uint64_t> living;
  for (const auto& [pid, live] : live_) living.push_back(pid);
  cpu_.read_living(living);
  for (ProcessRun& run : capture_.run.processes) run.use = cpu_.of_process(run.pid);
  for (const ThreadRun& thread : cpu_.results()) {
    const auto owner = std::ranges::find_if(capture_.run.processes, [&](const ProcessRun& run) {
      return run.pid == thread.pid && run.counted;
    });
    if (owner != capture_.run.processes.end()) capture_.run.threads.push_back(thread);
  }
}

}  // namespace perfgap
