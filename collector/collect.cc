#include "collector/collect.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <variant>

#include "collector/bpf_sampler.h"
#include "collector/event.h"
#include "collector/process_tracker.h"
#include "collector/targets.h"
#include "collector/task_events.h"

namespace perfgap {
namespace {

constexpr std::chrono::milliseconds kPollInterval{100};
constexpr std::uint64_t kRefreshIntervalNs = 1'000'000'000;
constexpr std::uint64_t kInitialPidNamespace =
    0xEFFFFFFC;  // PROC_PID_INIT_INO, include/linux/proc_ns.h

std::uint64_t now_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t own_cpu_ns() {
  return now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

Outcome outcome_of(std::uint32_t wire_outcome) {
  switch (wire_outcome) {
    case UNWIND_ZERO_FRAME_POINTER:
      return Outcome::complete;
    case UNWIND_NO_USER_STACK:
      return Outcome::no_user_stack;
    case UNWIND_BAD_FRAME_POINTER:
      return Outcome::bad_frame_pointer;
    case UNWIND_READ_FAULT:
      return Outcome::read_fault;
    case UNWIND_TOO_DEEP:
      return Outcome::too_deep;
    default:
      return Outcome::unknown;
  }
}

// BPF knows processes by the ids of the initial namespace; elsewhere they would silently mean
// others.
Result<void> check_pid_namespace() {
  std::array<char, 64> link{};
  const ssize_t length = readlink("/proc/self/ns/pid", link.data(), link.size() - 1);
  if (length <= 0 || std::string_view(link.data()) == fmt::format("pid:[{}]", kInitialPidNamespace))
    return {};
  return fail(
      "this shell is in a pid namespace of its own; run profile on the host, or in a container "
      "started with the host's pid namespace");
}

// One run from the first look at the targets to the finished capture.
class Collection {
 public:
  Collection(const CollectOptions& options, const CollectHooks& hooks)
      : options_(options), hooks_(hooks), tracker_(capture_) {}

  Result<Capture> run();

 private:
  using ProcessChange = std::variant<TaskEvent, thread_exit_record, child_record>;

  Result<void> prepare();
  Result<void> follow(const std::vector<NamedTarget>& targets);
  Result<void> follow_descendants();
  void sample_until_end();
  bool drain();  // true if more records wait
  void apply_changes();
  void finish(std::uint64_t end_ns);

  void on_sample(const sample_record& record, std::span<const std::uint64_t> addresses);
  std::uint32_t thread_name_index(const char* name);
  void diagnose(const std::string& line) const {
    if (hooks_.diagnostic) hooks_.diagnostic(line);
  }
  [[nodiscard]] bool stopped() const { return hooks_.stop != nullptr && hooks_.stop->load(); }
  void describe_machine();

  const CollectOptions& options_;
  const CollectHooks& hooks_;
  Capture capture_;
  ProcessTracker tracker_;
  SamplingEvent event_;
  std::optional<BpfSampler> sampler_;
  std::optional<TaskEvents> task_events_;
  std::vector<std::pair<std::uint64_t, ProcessChange>>
      changes_;  // by time, waiting for apply_changes()
  std::map<std::string, std::uint32_t> thread_names_;
  std::vector<std::uint64_t> named_pids_;
};

void Collection::describe_machine() {
  utsname name{};
  uname(&name);
  RunInfo& run = capture_.run;
  run.host = name.nodename;
  run.kernel = name.release;
  run.machine = name.machine;
  run.cpus_online = static_cast<std::uint32_t>(online_cpus().size());
  run.backend = "BPF";
  run.unwinding = "frame pointers";
  run.event = event_.info;
  run.rate_asked_hz = options_.rate_hz;
  run.rate_opened_hz = allowed_rate_hz(options_.rate_hz);
  run.asked_ms = static_cast<std::uint64_t>(options_.duration.count());
  run.follows_children = options_.children;
  capture_.weight_type = event_.weight_type;
  capture_.weight_unit = event_.weight_unit;
  if (run.rate_opened_hz < run.rate_asked_hz)
    diagnose(fmt::format("-F {}: sampling at {} Hz, the highest rate that can be had here ({})",
                         run.rate_asked_hz, run.rate_opened_hz,
                         run.rate_opened_hz == kHighestRateHz
                             ? "more would take most of every CPU"
                             : "kernel.perf_event_max_sample_rate"));
}

Result<void> Collection::prepare() {
  if (auto ok = check_pid_namespace(); !ok) return ok;
  auto targets = open_targets(options_.pids, [this](const std::string& line) { diagnose(line); });
  if (!targets) return std::unexpected(targets.error());
  auto event = resolve_event(options_.event);
  if (!event) return std::unexpected(event.error());
  event_ = std::move(*event);
  describe_machine();

  auto sampler = BpfSampler::load(
      options_.children,
      {.sample = [this](const auto& record, auto addresses) { on_sample(record, addresses); },
       .thread_exit =
           [this](const auto& record) { changes_.emplace_back(record.header.time_ns, record); },
       .child =
           [this](const auto& record) { changes_.emplace_back(record.header.time_ns, record); }});
  if (!sampler) return std::unexpected(sampler.error());
  sampler_ = std::move(*sampler);
  auto task_events = TaskEvents::open(online_cpus());
  if (!task_events) return std::unexpected(task_events.error());
  task_events_ = std::move(*task_events);
  return follow(*targets);
}

Result<void> Collection::follow(const std::vector<NamedTarget>& targets) {
  std::vector<std::string> ended;
  for (const NamedTarget& target : targets) {
    if (auto added = sampler_->add_target(target.stat.pid); !added) return added;
    // Exits are followed from here on, so alive now means: this process, not a later one of the
    // same id.
    if (!target.alive()) {
      ended.push_back(fmt::format("pid {}: ended before sampling began", target.stat.pid));
      continue;
    }
    named_pids_.push_back(target.stat.pid);
    tracker_.add_living(target.stat, true, true);
  }
  if (named_pids_.empty()) return fail(ended.front() + "; name a running process");
  for (const std::string& line : ended) diagnose(line);
  return follow_descendants();
}

Result<void> Collection::follow_descendants() {
  // Again until nothing new turns up: a child of a process that was not followed yet is announced
  // by nobody.
  for (bool found_new = true; found_new;) {
    found_new = false;
    for (const ProcStat& stat : descendants_of(named_pids_)) {
      if (tracker_.knows(stat.pid)) continue;
      if (options_.children)
        if (auto added = sampler_->add_target(stat.pid); !added) return added;
      tracker_.add_living(stat, false, options_.children);
      found_new = true;
    }
  }
  return {};
}

std::uint32_t Collection::thread_name_index(const char* name) {
  const auto [it, is_new] = thread_names_.try_emplace(
      std::string(name, strnlen(name, WIRE_COMM_BYTES)), capture_.thread_names.size());
  if (is_new) capture_.thread_names.push_back(it->first);
  return it->second;
}

void Collection::on_sample(const sample_record& record, std::span<const std::uint64_t> addresses) {
  if (record.header.time_ns < capture_.start_ns) return;
  const auto user = addresses.first(record.user_frames);
  const auto kernel = addresses.subspan(record.user_frames);
  capture_.samples.push_back(
      {.time_ns = record.header.time_ns,
       .weight = record.weight,
       .process = tracker_.process_of_sample(record.header.pid, record.header.time_ns),
       .tid = record.header.tid,
       .thread_name = thread_name_index(record.thread_name),
       .cpu = record.header.cpu,
       .kernel_stack = capture_.stacks.intern(kernel),
       .user_stack = capture_.stacks.intern(user),
       .outcome = outcome_of(record.outcome)});
}

bool Collection::drain() {
  // Mapping records first: whatever BPF recorded before them is then in the ring already.
  std::vector<TaskEvent> events;
  task_events_->drain(events);
  for (TaskEvent& event : events) changes_.emplace_back(event.time_ns, std::move(event));
  const bool more = sampler_->drain();
  apply_changes();
  return more;
}

void Collection::apply_changes() {
  tracker_.settle();
  std::ranges::stable_sort(changes_, {}, [](const auto& change) { return change.first; });
  for (auto& [time_ns, change] : changes_) {
    if (const auto* event = std::get_if<TaskEvent>(&change))
      tracker_.changed(*event);
    else if (const auto* exit = std::get_if<thread_exit_record>(&change))
      tracker_.thread_ended(*exit);
    else if (const auto* child = std::get_if<child_record>(&change))
      tracker_.forked(child->header.pid, child->child_pid, time_ns);
  }
  changes_.clear();
}

void Collection::sample_until_end() {
  const std::uint64_t start_ns = capture_.start_ns;
  const auto duration_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(options_.duration).count());
  std::vector<pollfd> waits{{.fd = sampler_->descriptor(), .events = POLLIN, .revents = 0}};
  for (const int fd : task_events_->descriptors())
    waits.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  std::uint64_t refreshed_ns = start_ns;
  capture_.run.end_reason = "duration";

  while (true) {
    const std::uint64_t now = now_ns(CLOCK_MONOTONIC);
    if (now - start_ns >= duration_ns) break;
    const std::uint64_t left_ms = (duration_ns - (now - start_ns)) / 1'000'000 + 1;
    poll(waits.data(), waits.size(),
         static_cast<int>(std::min<std::uint64_t>(left_ms, kPollInterval.count())));
    drain();
    if (hooks_.progress)
      hooks_.progress(
          {.elapsed = std::chrono::milliseconds((now_ns(CLOCK_MONOTONIC) - start_ns) / 1'000'000),
           .duration = options_.duration,
           .samples = capture_.samples.size(),
           .lost = sampler_->losses()[LOSS_RING_FULL]});
    if (stopped()) {
      capture_.run.end_reason = "interrupted";
      break;
    }
    if (now - refreshed_ns >= kRefreshIntervalNs) {
      refreshed_ns = now;
      tracker_.drop_vanished([this](std::uint64_t pid) { return sampler_->has_target(pid); });
      tracker_.refresh(now);
    }
    if (!tracker_.any_counted_alive()) {
      capture_.run.end_reason = "target ended";
      break;
    }
  }
}

void Collection::finish(std::uint64_t end_ns) {
  RunInfo& run = capture_.run;
  run.run_ms = (end_ns - capture_.start_ns) / 1'000'000;
  tracker_.finish(end_ns,
                  options_.children ? std::vector<ProcStat>() : descendants_of(named_pids_));
  const auto losses = sampler_->losses();
  run.losses["ring full"] = losses[LOSS_RING_FULL];
  const auto note = [&run](std::uint64_t count, std::string_view what) {
    if (count > 0) run.notes.push_back(fmt::format("{} {}", count, what));
  };
  note(losses[LOSS_TARGETS_FULL], "children were not followed: the table of processes was full");
  note(losses[LOSS_CHILD_RECORD], "records of new processes were lost: ring full");
  note(losses[LOSS_EXIT_RECORD], "records of ended threads were lost: their CPU time is missing");
  note(task_events_->lost(), "mapping records were lost: code mapped meanwhile may lack names");
  for (const CapturedProcess& process : capture_.processes)
    for (const CapturedImage& image : process.images)
      if (!image.perf_map_problem.empty()) run.notes.push_back(image.perf_map_problem);
}

Result<Capture> Collection::run() {
  if (auto ready = prepare(); !ready) return std::unexpected(ready.error());
  const std::uint64_t cpu_before_ns = own_cpu_ns();
  const std::uint64_t probes_before_ns = sampler_->run_time_ns();
  tracker_.begin_window(now_ns(CLOCK_MONOTONIC));
  capture_.run.start_unix_ns = static_cast<std::int64_t>(now_ns(CLOCK_REALTIME));
  const auto sampled = sampler_->start_sampling(event_, capture_.run.rate_opened_hz, online_cpus());
  if (!sampled) return std::unexpected(sampled.error());
  capture_.run.cpus_sampled = *sampled;

  sample_until_end();

  sampler_->stop_sampling();
  const std::uint64_t end_ns = now_ns(CLOCK_MONOTONIC);
  while (drain()) {
  }
  finish(end_ns);
  capture_.run.overhead = {.probe_ns = sampler_->run_time_ns() - probes_before_ns,
                           .collector_cpu_ns = own_cpu_ns() - cpu_before_ns};
  if (!capture_.samples.empty() && capture_.weight_unit == "nanoseconds")
    capture_.period = static_cast<std::int64_t>(capture_.samples.front().weight);
  return std::move(capture_);
}

}  // namespace

Result<Capture> collect(const CollectOptions& options, const CollectHooks& hooks) {
  return Collection(options, hooks).run();
}

}  // namespace perfgap
