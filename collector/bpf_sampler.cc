#include "collector/bpf_sampler.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <string>

#include "model/unique_fd.h"
#include "sampler.skel.h"

namespace perfgap {
namespace {

constexpr std::uint32_t kRingBytes = 16U << 20;

struct SkeletonDeleter {
  void operator()(sampler_bpf* skeleton) const { sampler_bpf::destroy(skeleton); }
};
struct RingDeleter {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};
struct LinkDeleter {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};

// libbpf prints for itself; one line of ours says what the user can act on.
int silent(libbpf_print_level, const char*, std::va_list) {
  return 0;
}

Error load_error(int error) {
  if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
    return {
        "BPF: this kernel has no BTF (/sys/kernel/btf/vmlinux); boot one with "
        "CONFIG_DEBUG_INFO_BTF=y"};
  if (error == EPERM || error == EACCES)
    return {
        "BPF: not permitted; run as root, or with CAP_BPF and CAP_PERFMON, and allow bpf() in the "
        "container's seccomp profile"};
  return {fmt::format("BPF: the programs do not load ({}); kernel 5.15 or later is needed",
                      strerror(error))};
}

std::uint64_t program_run_time_ns(const bpf_program* program) {
  bpf_prog_info info{};
  std::uint32_t size = sizeof(info);
  if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) != 0) return 0;
  return info.run_time_ns;
}

}  // namespace

struct BpfSampler::State {
  std::unique_ptr<sampler_bpf, SkeletonDeleter> skeleton;
  std::unique_ptr<ring_buffer, RingDeleter> ring;
  std::vector<std::unique_ptr<bpf_link, LinkDeleter>> event_links;
  UniqueFd run_time_stats;  // while open, the kernel measures the programs
  SamplerCallbacks callbacks;
  std::vector<std::uint64_t> addresses;
  std::uint32_t records_left = 0;  // of this drain

  int deliver(const void* data, std::size_t size);
  void handle(const void* data, std::size_t size);
  void handle_sample(const void* data, std::size_t size);
};

void BpfSampler::State::handle_sample(const void* data, std::size_t size) {
  sample_record record;
  if (size < sizeof(record)) return;
  std::memcpy(&record, data, sizeof(record));
  const std::size_t count = std::size_t{record.user_frames} + record.kernel_frames;
  if (size < sizeof(record) + count * sizeof(std::uint64_t)) return;
  addresses.resize(count);
  std::memcpy(addresses.data(), static_cast<const std::byte*>(data) + sizeof(record),
              count * sizeof(std::uint64_t));
  callbacks.sample(record, addresses);
}

// A negative value ends libbpf's loop; the record counts as read.
int BpfSampler::State::deliver(const void* data, std::size_t size) {
  handle(data, size);
  return --records_left == 0 ? -EAGAIN : 0;
}

void BpfSampler::State::handle(const void* data, std::size_t size) {
  record_header header;
  if (size < sizeof(header)) return;
  std::memcpy(&header, data, sizeof(header));
  if (header.kind == RECORD_SAMPLE) return handle_sample(data, size);
  if (header.kind == RECORD_THREAD_EXIT && size >= sizeof(thread_exit_record)) {
    thread_exit_record record;
    std::memcpy(&record, data, sizeof(record));
    callbacks.thread_exit(record);
  } else if (header.kind == RECORD_CHILD && size >= sizeof(child_record)) {
    child_record record;
    std::memcpy(&record, data, sizeof(record));
    callbacks.child(record);
  }
}

BpfSampler::BpfSampler(std::unique_ptr<State> state) : state_(std::move(state)) {}
BpfSampler::BpfSampler(BpfSampler&&) noexcept = default;
BpfSampler& BpfSampler::operator=(BpfSampler&&) noexcept = default;
BpfSampler::~BpfSampler() = default;

Result<BpfSampler> BpfSampler::load(bool follow_children, SamplerCallbacks callbacks) {
  libbpf_set_print(silent);
  auto state = std::make_unique<State>();
  state->callbacks = std::move(callbacks);
  state->skeleton.reset(sampler_bpf::open());
  if (!state->skeleton) return std::unexpected(load_error(errno));
  state->skeleton->rodata->config.follow_children = follow_children ? 1 : 0;
  state->skeleton->rodata->config.wakeup_bytes = kRingBytes / 4;
  bpf_map__set_max_entries(state->skeleton->maps.records, kRingBytes);
  if (const int status = sampler_bpf::load(state->skeleton.get()); status != 0)
    return std::unexpected(load_error(-status));

  state->run_time_stats = UniqueFd(bpf_enable_stats(BPF_STATS_RUN_TIME));
  state->skeleton->links.process_forked =
      bpf_program__attach(state->skeleton->progs.process_forked);
  state->skeleton->links.thread_exited = bpf_program__attach(state->skeleton->progs.thread_exited);
  if (!state->skeleton->links.process_forked || !state->skeleton->links.thread_exited)
    return fail(fmt::format(
        "BPF: fork and exit tracepoints do not attach ({}); kernel 5.15 or later is needed",
        strerror(errno)));

  const auto deliver = [](void* context, void* data, std::size_t size) {
    return static_cast<State*>(context)->deliver(data, size);
  };
  state->ring.reset(
      ring_buffer__new(bpf_map__fd(state->skeleton->maps.records), deliver, state.get(), nullptr));
  if (!state->ring) return fail(fmt::format("BPF: ring buffer: {}", strerror(errno)));
  return BpfSampler(std::move(state));
}

Result<void> BpfSampler::add_target(std::uint64_t pid) {
  const auto key = static_cast<std::uint32_t>(pid);
  const std::uint8_t present = 1;
  if (bpf_map__update_elem(state_->skeleton->maps.targets, &key, sizeof(key), &present,
                           sizeof(present), BPF_ANY) != 0)
    return fail(fmt::format("pid {}: {} processes are followed already; name fewer", pid,
                            WIRE_MAX_TARGETS));
  return {};
}

bool BpfSampler::has_target(std::uint64_t pid) const {
  const auto key = static_cast<std::uint32_t>(pid);
  std::uint8_t present = 0;
  return bpf_map__lookup_elem(state_->skeleton->maps.targets, &key, sizeof(key), &present,
                              sizeof(present), 0) == 0;
}

Result<std::uint32_t> BpfSampler::start_sampling(const SamplingEvent& event, std::uint64_t rate_hz,
                                                 const std::vector<std::uint32_t>& cpus) {
  perf_event_attr attr = event.attr;
  attr.freq = 1;
  attr.sample_freq = rate_hz;
  attr.disabled = 1;
  for (const std::uint32_t cpu : cpus) {
    UniqueFd fd(open_perf_event(attr, -1, static_cast<std::int32_t>(cpu)));
    if (!fd.valid() && errno == ENODEV) continue;
    if (!fd.valid())
      return fail(fmt::format("event '{}' on CPU {}: {}; run as root, or with CAP_PERFMON",
                              event.info.name, cpu, strerror(errno)));
    bpf_link* link = bpf_program__attach_perf_event(state_->skeleton->progs.sample_event, fd.get());
    if (link == nullptr)
      return fail(fmt::format("event '{}' on CPU {}: BPF does not attach ({})", event.info.name,
                              cpu, strerror(errno)));
    static_cast<void>(fd.release());  // the link closes it
    state_->event_links.emplace_back(link);
  }
  if (state_->event_links.empty()) return fail("no CPU is online to sample");
  return static_cast<std::uint32_t>(state_->event_links.size());
}

void BpfSampler::stop_sampling() {
  state_->event_links.clear();
}

bool BpfSampler::drain() {
  state_->records_left = kRecordsPerDrain;
  return ring_buffer__consume(state_->ring.get()) == -EAGAIN;
}

int BpfSampler::descriptor() const {
  return ring_buffer__epoll_fd(state_->ring.get());
}

std::vector<std::uint64_t> BpfSampler::losses() const {
  const int cpus = libbpf_num_possible_cpus();
  std::vector<std::uint64_t> totals(LOSS_CAUSES, 0);
  std::vector<std::uint64_t> by_cpu(cpus > 0 ? static_cast<std::size_t>(cpus) : 1, 0);
  for (std::uint32_t cause = 0; cause < LOSS_CAUSES; ++cause) {
    if (bpf_map__lookup_elem(state_->skeleton->maps.losses, &cause, sizeof(cause), by_cpu.data(),
                             by_cpu.size() * sizeof(std::uint64_t), 0) != 0)
      continue;
    for (const std::uint64_t count : by_cpu) totals[cause] += count;
  }
  return totals;
}

std::uint64_t BpfSampler::run_time_ns() const {
  return program_run_time_ns(state_->skeleton->progs.sample_event) +
         program_run_time_ns(state_->skeleton->progs.process_forked) +
         program_run_time_ns(state_->skeleton->progs.thread_exited);
}

}  // namespace perfgap
