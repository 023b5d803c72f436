#include "collector/task_events.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "collector/event.h"
#include "model/unique_fd.h"

namespace perfgap {
namespace {

constexpr std::size_t kRingPages = 128;  // 512 KiB a CPU: about 4,000 mappings between two drains
constexpr std::size_t kTrailerBytes = 16;

template <typename T>
std::optional<T> read_at(const std::byte* body, std::size_t size, std::size_t offset) {
  T value;
  if (offset > size || size - offset < sizeof(T)) return std::nullopt;
  std::memcpy(&value, body + offset, sizeof(T));
  return value;
}

// The text from `offset` to its NUL or the end of the body.
std::string text_at(const std::byte* body, std::size_t size, std::size_t offset) {
  if (offset >= size) return {};
  const auto* text = reinterpret_cast<const char*>(body) + offset;
  return {text, strnlen(text, size - offset)};
}

// PERF_RECORD_MMAP2 without build ids.
struct Mmap2Body {
  std::uint32_t pid, tid;
  std::uint64_t address, length, page_offset;
  std::uint32_t major_number, minor_number;
  std::uint64_t inode, inode_generation;
  std::uint32_t protection, flags;
};
static_assert(sizeof(Mmap2Body) == 64);

}  // namespace

bool parse_task_record(std::uint32_t type, std::uint16_t misc, const std::byte* body,
                       std::size_t size, TaskEvent& event) {
  if (size < kTrailerBytes + 2 * sizeof(std::uint32_t)) return false;
  const std::size_t payload = size - kTrailerBytes;
  event.time_ns = *read_at<std::uint64_t>(body, size, payload + 8);
  event.pid = *read_at<std::uint32_t>(body, size, 0);
  event.tid = *read_at<std::uint32_t>(body, size, 4);

  if (type == PERF_RECORD_COMM) {
    if ((misc & PERF_RECORD_MISC_COMM_EXEC) == 0) return false;
    event.what = ExecEvent{.comm = text_at(body, payload, 8)};
    return true;
  }
  if (type == PERF_RECORD_MMAP2) {
    const auto map = read_at<Mmap2Body>(body, payload, 0);
    if (!map || (map->protection & PROT_EXEC) == 0) return false;
    std::string name = text_at(body, payload, sizeof(Mmap2Body));
    if (name.empty()) name = "//anon";
    event.what = MapEvent{ProcMapping{.start = map->address,
                                      .end = map->address + map->length,
                                      .file_offset = map->page_offset,
                                      .device = makedev(map->major_number, map->minor_number),
                                      .inode = name == "//anon" ? 0 : map->inode,
                                      .name = std::move(name)}};
    return true;
  }
  return false;
}

// One CPU's event and its memory-mapped ring (perf_event_open(2), "MMAP layout").
class TaskEvents::Ring {
 public:
  Ring(UniqueFd fd, void* memory, std::size_t bytes)
      : fd_(std::move(fd)), memory_(static_cast<std::byte*>(memory)), bytes_(bytes) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { munmap(memory_, bytes_); }

  [[nodiscard]] int fd() const { return fd_.get(); }

  void drain(std::vector<TaskEvent>& events, std::uint64_t& lost) {
    auto* page = reinterpret_cast<perf_event_mmap_page*>(memory_);
    const std::uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    std::uint64_t tail = page->data_tail;
    std::vector<std::byte> record;
    while (tail < head) {
      perf_event_header header;
      copy_out(tail, &header, sizeof(header));
      if (header.size < sizeof(header)) break;
      record.resize(header.size - sizeof(header));
      copy_out(tail + sizeof(header), record.data(), record.size());
      tail += header.size;
      if (header.type == PERF_RECORD_LOST)
        lost += read_at<std::uint64_t>(record.data(), record.size(), 8).value_or(0);
      TaskEvent event;
      if (parse_task_record(header.type, header.misc, record.data(), record.size(), event))
        events.push_back(std::move(event));
    }
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
  }

 private:
  // Copies bytes at a position of the stream, round the end of the ring.
  void copy_out(std::uint64_t position, void* out, std::size_t size) const {
    const std::size_t page = static_cast<std::size_t>(getpagesize());
    const std::size_t data_bytes = bytes_ - page;
    const std::byte* data = memory_ + page;
    const std::size_t at = static_cast<std::size_t>(position % data_bytes);
    const std::size_t first = std::min(size, data_bytes - at);
    std::memcpy(out, data + at, first);
    std::memcpy(static_cast<std::byte*>(out) + first, data, size - first);
  }

  UniqueFd fd_;
  std::byte* memory_;
  std::size_t bytes_;
};

TaskEvents::TaskEvents() = default;
TaskEvents::TaskEvents(TaskEvents&&) noexcept = default;
TaskEvents& TaskEvents::operator=(TaskEvents&&) noexcept = default;
TaskEvents::~TaskEvents() = default;

Result<TaskEvents> TaskEvents::open(const std::vector<std::uint32_t>& cpus) {
  perf_event_attr attr{};
  attr.size = sizeof(attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attr.sample_id_all = 1;
  attr.mmap = 1;
  attr.mmap2 = 1;
  attr.comm = 1;
  attr.comm_exec = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.watermark = 1;
  attr.wakeup_watermark = 1;

  TaskEvents events;
  const std::size_t bytes = (kRingPages + 1) * static_cast<std::size_t>(getpagesize());
  for (const std::uint32_t cpu : cpus) {
    UniqueFd fd(open_perf_event(attr, -1, static_cast<std::int32_t>(cpu)));
    if (!fd.valid() && errno == ENODEV) continue;  // went offline meanwhile
    if (!fd.valid())
      return fail(fmt::format("mapping events on CPU {}: {}; run as root, or with CAP_PERFMON", cpu,
                              strerror(errno)));
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (memory == MAP_FAILED)
      return fail(fmt::format("mapping events on CPU {}: {}; raise kernel.perf_event_mlock_kb", cpu,
                              strerror(errno)));
    events.rings_.push_back(std::make_unique<Ring>(std::move(fd), memory, bytes));
  }
  return events;
}

void TaskEvents::drain(std::vector<TaskEvent>& events) {
  for (const auto& ring : rings_) ring->drain(events, lost_);
}

std::vector<int> TaskEvents::descriptors() const {
  std::vector<int> fds;
  for (const auto& ring : rings_) fds.push_back(ring->fd());
  return fds;
}

}  // namespace perfgap
