// Records of mappings and execs, as the kernel lays them out and as it really sends them.
#include "collector/task_events.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "collector/event.h"

namespace perfgap {
namespace {

template <typename T>
void append(std::vector<std::byte>& body, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  body.insert(body.end(), bytes, bytes + sizeof(value));
}

void append_text(std::vector<std::byte>& body, std::string text) {
  text.resize((text.size() + 8) / 8 * 8);
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  body.insert(body.end(), bytes, bytes + text.size());
}

std::vector<std::byte> mmap2_record(std::uint32_t protection, const std::string& name) {
  std::vector<std::byte> body;
  for (const std::uint32_t id : {7U, 8U}) append(body, id);
  for (const std::uint64_t word : {0x1000UL, 0x2000UL, 0x3000UL}) append(body, word);
  for (const std::uint32_t device : {0xfeU, 1U}) append(body, device);
  for (const std::uint64_t inode : {99UL, 0UL}) append(body, inode);
  for (const std::uint32_t word : {protection, 0U}) append(body, word);
  append_text(body, name);
  for (const std::uint32_t id : {7U, 8U}) append(body, id);
  append(body, std::uint64_t{123456});
  return body;
}

TEST(TaskRecord, ReadsAnExecutableMapping) {
  const auto body = mmap2_record(PROT_READ | PROT_EXEC, "/usr/lib/x.so");
  TaskEvent event;

  ASSERT_TRUE(parse_task_record(PERF_RECORD_MMAP2, 0, body.data(), body.size(), event));
  EXPECT_EQ(event.time_ns, 123456U);
  EXPECT_EQ(event.pid, 7U);
  const auto& mapping = std::get<MapEvent>(event.what).mapping;
  EXPECT_EQ(mapping.start, 0x1000U);
  EXPECT_EQ(mapping.end, 0x3000U);
  EXPECT_EQ(mapping.file_offset, 0x3000U);
  EXPECT_EQ(mapping.inode, 99U);
  EXPECT_EQ(mapping.name, "/usr/lib/x.so");
}

// Data is not code.
TEST(TaskRecord, PassesOverMappingsThatCannotRun) {
  const auto body = mmap2_record(PROT_READ, "/usr/share/data");
  TaskEvent event;

  EXPECT_FALSE(parse_task_record(PERF_RECORD_MMAP2, 0, body.data(), body.size(), event));
}

// A rename is not an exec.
TEST(TaskRecord, OnlyExecsAmongCommRecords) {
  std::vector<std::byte> body;
  for (const std::uint32_t id : {7U, 7U}) append(body, id);
  append_text(body, "node");
  for (const std::uint32_t id : {7U, 7U}) append(body, id);
  append(body, std::uint64_t{5});
  TaskEvent event;

  EXPECT_FALSE(parse_task_record(PERF_RECORD_COMM, 0, body.data(), body.size(), event));
  ASSERT_TRUE(parse_task_record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, body.data(),
                                body.size(), event));
  EXPECT_EQ(std::get<ExecEvent>(event.what).comm, "node");
}

// However short a record is, nothing is read beyond it.
TEST(TaskRecord, EveryTruncationIsRefusedOrHarmless) {
  const auto whole = mmap2_record(PROT_READ | PROT_EXEC, "/usr/lib/x.so");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> cut(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(size));
    TaskEvent event;
    parse_task_record(PERF_RECORD_MMAP2, 0, cut.data(), cut.size(), event);
    parse_task_record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, cut.data(), cut.size(), event);
  }
}

// The kernel announces memory that becomes executable by mmap, with this process's id and the
// place.
TEST(TaskEvents, SeeARealMapping) {
  auto events = TaskEvents::open(online_cpus());
  if (!events) GTEST_SKIP() << "skipped: this machine does not let this user sample";
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::vector<TaskEvent> seen;
  events->drain(seen);
  munmap(memory, 4096);

  EXPECT_TRUE(std::ranges::any_of(seen, [memory](const TaskEvent& event) {
    const auto* map = std::get_if<MapEvent>(&event.what);
    return map != nullptr && event.pid == static_cast<std::uint64_t>(getpid()) &&
           map->mapping.start == reinterpret_cast<std::uint64_t>(memory);
  }));
}

}  // namespace
}  // namespace perfgap
