// The collector's per-record work: storing raw stacks, reading mapping records and /proc lines.
#include <benchmark/benchmark.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "collector/proc_fs.h"
#include "collector/task_events.h"
#include "model/capture.h"

namespace perfgap {
namespace {

// 10,000 samples over 2,000 distinct stacks of 32 frames, as a server under load gives in ten
// seconds.
void store_raw_stacks(benchmark::State& state) {
  constexpr std::size_t kDistinct = 2000, kFrames = 32, kSamples = 10'000;
  std::mt19937_64 random(1);
  std::vector<std::vector<std::uint64_t>> stacks(kDistinct, std::vector<std::uint64_t>(kFrames));
  for (auto& stack : stacks)
    for (auto& address : stack) address = random() >> 17;
  for (auto _ : state) {
    RawStacks store;
    for (std::size_t i = 0; i < kSamples; ++i)
      benchmark::DoNotOptimize(store.intern(stacks[i % kDistinct]));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kSamples));
}
BENCHMARK(store_raw_stacks);

// The limit: hashing aside, each sample's addresses are read once from memory.
void copy_raw_stacks(benchmark::State& state) {
  constexpr std::size_t kFrames = 32, kSamples = 10'000;
  const std::vector<std::uint64_t> source(kFrames * kSamples, 1);
  std::vector<std::uint64_t> copy(source.size());
  for (auto _ : state) {
    std::memcpy(copy.data(), source.data(), source.size() * sizeof(std::uint64_t));
    benchmark::DoNotOptimize(copy.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kSamples));
}
BENCHMARK(copy_raw_stacks);

void parse_mapping_record(benchmark::State& state) {
  // PERF_RECORD_MMAP2: pid, tid, address, length, offset, device, inode, generation, protection,
  // flags, name, trailer.
  std::vector<std::byte> body(64, std::byte{0});
  const std::uint32_t protection = PROT_READ | PROT_EXEC;
  std::memcpy(body.data() + 56, &protection, sizeof(protection));
  const std::string name("/usr/lib/x86_64-linux-gnu/libc.so.6\0\0\0\0\0", 40);
  const auto* bytes = reinterpret_cast<const std::byte*>(name.data());
  body.insert(body.end(), bytes, bytes + name.size());
  body.resize(body.size() + 16);
  TaskEvent event;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        parse_task_record(PERF_RECORD_MMAP2, 0, body.data(), body.size(), event));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(parse_mapping_record);

void parse_maps_line(benchmark::State& state) {
  const std::string line =
      "7f0e4c028000-7f0e4c1bd000 r-xp 00028000 fe:00 1573025    "
      "/usr/lib/x86_64-linux-gnu/libc.so.6";
  for (auto _ : state) benchmark::DoNotOptimize(parse_proc_mapping(line));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(parse_maps_line);

}  // namespace
}  // namespace perfgap
