// The category engine on a large profile: 100,000 distinct stacks under the built-in rules.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analyzers/analysis.h"
#include "tests/support/profiles.h"

namespace {

constexpr int kStacks = 100'000;
constexpr int kDepth = 40;

// A server's shape: a few hot entry paths, many functions, a kernel end on half of the stacks.
const perfgap::Profile& large_profile() {
  static const perfgap::Profile profile = [] {
    std::mt19937 random(1);
    std::vector<std::string> names;
    for (int i = 0; i < 5'000; ++i) {
      names.push_back("v8::internal::Function" + std::to_string(i) + "::Call(int, void*)");
    }
    names.insert(names.end(), {"Builtins_LoadIC", "Builtins_CallFunction_ReceiverIsAny", "uv_run",
                               "malloc", "Builtins_RunMicrotasks", "llhttp__internal__run"});
    perfgap::testing_support::ProfileBuilder builder;
    std::string stack;
    for (int i = 0; i < kStacks; ++i) {
      stack = "_start;main;uv_run";
      // The higher up, the more a stack shares with others.
      for (int depth = 3; depth < kDepth; ++depth) {
        const std::size_t choices = std::min<std::size_t>(names.size(), 1U << (depth / 3));
        stack += ";" + names[random() % choices];
      }
      if (i % 2 == 0) stack += ";do_syscall_64_[k];tcp_sendmsg_[k];release_sock_[k]";
      builder.row(stack, 1, {.time_ms = static_cast<std::uint32_t>(i % 1'000) * 10});
    }
    return builder.take();
  }();
  return profile;
}

const perfgap::CategoryRules& rules() {
  static const perfgap::CategoryRules rules =
      perfgap::CategoryRules::load(perfgap::builtin_rules()).value();
  return rules;
}

void load_rules(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(perfgap::CategoryRules::load(perfgap::builtin_rules()));
  }
}
BENCHMARK(load_rules)->Unit(benchmark::kMillisecond);

void mark_profile(benchmark::State& state) {
  const perfgap::Profile& profile = large_profile();
  for (auto _ : state) benchmark::DoNotOptimize(perfgap::mark(profile, rules()));
  state.counters["stack nodes"] = static_cast<double>(profile.stack_count());
}
BENCHMARK(mark_profile)->Unit(benchmark::kMillisecond);

// Marks, shares with intervals, and every other table.
void analyze_profile(benchmark::State& state) {
  const perfgap::Profile& profile = large_profile();
  for (auto _ : state) benchmark::DoNotOptimize(perfgap::analyze(profile, rules()));
}
BENCHMARK(analyze_profile)->Unit(benchmark::kMillisecond);

}  // namespace
