// Interning of stack nodes, and a profile's way to its file and back.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "model/pprof.h"
#include "model/profile.h"

namespace perfgap {
namespace {

constexpr std::size_t kFunctions = 2000;
constexpr std::size_t kDepth = 40;

// Random stacks that share most of their outer frames, as a server's do.
std::vector<std::vector<FrameId>> random_stacks(Profile& profile, std::size_t count) {
  std::vector<FrameId> frames;
  const MappingId module = profile.intern(Mapping{0, 0, 0, profile.intern("/usr/bin/server"), {}});
  for (std::size_t i = 0; i < kFunctions; ++i) {
    const StringId name = profile.intern("namespace::function_" + std::to_string(i));
    const FunctionId function = profile.intern(Function{name, name, {}, 0});
    frames.push_back(
        profile.intern(Frame{function, module, i * 64, 0, FrameKind::native, Tier::none}));
  }
  std::mt19937_64 random(1);
  std::vector<std::vector<FrameId>> stacks(count);
  for (auto& stack : stacks) {
    for (std::size_t level = 0; level < kDepth; ++level) {
      stack.push_back(frames[random() % (1 + level * level * kFunctions / (kDepth * kDepth))]);
    }
  }
  return stacks;
}

StackId intern_stack(Profile& profile, const std::vector<FrameId>& frames) {
  StackId node;
  for (const FrameId frame : frames) node = profile.intern(StackNode{node, frame});
  return node;
}

Profile profile_of(std::size_t samples) {
  Profile profile;
  profile.set_value_types({{profile.intern("samples"), profile.intern("count")},
                           {profile.intern("cpu"), profile.intern("nanoseconds")}});
  const ThreadId thread =
      profile.intern(Thread{10, 11, profile.intern("server"), profile.intern("worker")});
  std::uint32_t time_ms = 0;
  for (const auto& frames : random_stacks(profile, samples)) {
    time_ms += kTimeStepMs;
    profile.add(
        {intern_stack(profile, frames), thread, time_ms, Outcome::complete, {}, {1, 2'004'008}});
  }
  profile.merge_samples();
  return profile;
}

// A node per frame of 1,000 stacks, into an empty trie.
void intern_new_stack_nodes(benchmark::State& state) {
  Profile frames;
  const auto stacks = random_stacks(frames, 1000);
  for (auto _ : state) {
    state.PauseTiming();
    Profile profile = frames;
    state.ResumeTiming();
    for (const auto& stack : stacks) benchmark::DoNotOptimize(intern_stack(profile, stack));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(1000 * kDepth));
}
BENCHMARK(intern_new_stack_nodes);

// The same stacks again: every node is found.
void intern_known_stack_nodes(benchmark::State& state) {
  Profile profile;
  const auto stacks = random_stacks(profile, 1000);
  for (const auto& stack : stacks) intern_stack(profile, stack);
  for (auto _ : state) {
    for (const auto& stack : stacks) benchmark::DoNotOptimize(intern_stack(profile, stack));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(1000 * kDepth));
}
BENCHMARK(intern_known_stack_nodes);

void write_pprof_10k_samples(benchmark::State& state) {
  const Profile profile = profile_of(10'000);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = write_pprof(profile).size();
  state.counters["file_bytes"] = static_cast<double>(bytes);
}
BENCHMARK(write_pprof_10k_samples)->Unit(benchmark::kMillisecond);

void read_pprof_10k_samples(benchmark::State& state) {
  const std::string file = write_pprof(profile_of(10'000));
  for (auto _ : state) {
    const Result<PprofRead> result = read_pprof(file);
    if (!result) state.SkipWithError(result.error().message.c_str());
  }
}
BENCHMARK(read_pprof_10k_samples)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace perfgap
