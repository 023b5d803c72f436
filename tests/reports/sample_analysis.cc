#include "sample_analysis.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace perfgap {
namespace {

// Wilson's interval as in statistics textbooks; of nothing, the exact upper end.
Interval interval_of(double hits, double n) {
  if (n < 20) return {};
  if (hits == 0) return {0, 1 - std::pow(0.025, 1 / n), true};
  const double z2 = 1.959964 * 1.959964;
  const double p = hits / n;
  const double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = std::sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return {std::max(0.0, centre - half), std::min(1.0, centre + half), true};
}

CategoryShare share_of(const CategoryCounts& counts, bool is_rollup, std::int64_t total) {
  CategoryShare share;
  share.name = counts.name;
  share.is_rollup = is_rollup;
  share.samples = counts.spent_in;
  share.spent_in = counts.spent_in * kPeriodNs;
  share.passes_through = counts.passes_through * kPeriodNs;
  const auto n = static_cast<double>(total);
  share.spent_in_share = static_cast<double>(counts.spent_in) / n;
  share.passes_through_share = static_cast<double>(counts.passes_through) / n;
  share.spent_in_interval = interval_of(static_cast<double>(counts.spent_in), n);
  share.passes_through_interval = interval_of(static_cast<double>(counts.passes_through), n);
  return share;
}

RunInfo sample_run() {
  RunInfo run;
  run.tool_version = "0.1.0";
  run.host = "bench1";
  run.kernel = "6.18.44";
  run.machine = "x86_64";
  run.cpus_online = 2;
  run.cpus_sampled = 2;
  run.backend = "BPF";
  run.unwinding = "frame pointers";
  run.event = {.requested = "cycles", .name = "cpu-clock", .reason = "no hardware PMU here"};
  run.rate_asked_hz = 499;
  run.rate_opened_hz = 499;
  run.start_unix_ns = 1'785'000'000'000'000'000;
  run.asked_ms = 10'000;
  run.run_ms = 10'000;
  run.end_reason = "duration";
  run.processes = {{.pid = 4242,
                    .requested = true,
                    .comm = "node",
                    .command = "node --perf-basic-prof hono.ts",
                    .executables = {"/usr/bin/node"},
                    .use = {9'900'000'000, 40'000'000}}};
  run.threads = {{4242, 4242, "MainThread", {9'860'000'000, 39'000'000}},
                 {4242, 4243, "V8Worker", {30'000'000, 1'000'000}},
                 {4242, 4247, "libuv-worker", {10'000'000, 0}}};
  run.overhead = {100'000'000, 68'000'000};
  return run;
}

}  // namespace

std::vector<CategoryShare> category_rows(const std::vector<CategoryCounts>& counts) {
  std::int64_t total = 0;
  for (const CategoryCounts& row : counts) total += row.spent_in;
  std::vector<CategoryShare> rows;
  for (std::size_t i = 0; i < counts.size();) {
    const std::string first_part = counts[i].name.substr(0, counts[i].name.find('.'));
    CategoryCounts rollup{first_part};
    std::size_t end = i;
    while (end < counts.size() &&
           (counts[end].name == first_part || counts[end].name.starts_with(first_part + "."))) {
      rollup.spent_in += counts[end].spent_in;
      rollup.passes_through = std::max(rollup.passes_through, counts[end].passes_through);
      ++end;
    }
    rows.push_back(share_of(rollup, true, total));
    const bool alone = end == i + 1 && counts[i].name == first_part;
    for (; i < end; ++i) {
      if (!alone) rows.push_back(share_of(counts[i], false, total));
    }
  }
  return rows;
}

SampleAnalysis::SampleAnalysis() {
  profile.set_value_types({{profile.intern("samples"), profile.intern("count")},
                           {profile.intern("cpu"), profile.intern("nanoseconds")}});
  profile.run = sample_run();
  analysis.profile = &profile;
  analysis.value_index = 1;
  analysis.metric_type = "cpu";
  analysis.metric_unit = "nanoseconds";
  analysis.categories = category_rows({{"sys.net", 1137, 2101},
                                       {"sys.epoll", 145, 145},
                                       {"sys.other", 84, 96},
                                       {"kernel.softirq.peer", 963, 963},
                                       {"kernel.sched", 31, 60},
                                       {"kernel.other", 2, 2},
                                       {"http.write", 512, 700},
                                       {"http.parse", 311, 311},
                                       {"dispatch.property", 404, 633},
                                       {"dispatch.call", 229, 1264},
                                       {"app.user", 394, 3560},
                                       {"app.lib", 200, 3366},
                                       {"interp", 287, 3000},
                                       {"gc.minor", 145, 150},
                                       {"gc.major", 20, 20},
                                       {"microtask.promise", 45, 1300},
                                       {"mem.copy", 0, 161},
                                       {"regex", 2, 2},
                                       {"lock", 1, 1},
                                       {"unattributed", 10, 10},
                                       {"unsymbolised", 0, 0}});
  for (const CategoryShare& row : analysis.categories) {
    if (row.is_rollup) analysis.samples += row.samples;
  }
  analysis.total = analysis.samples * kPeriodNs;
  const auto ns = [](std::int64_t samples) { return samples * kPeriodNs; };
  analysis.functions = {
      {"tcp_sendmsg_locked", "[kernel]", "", "sys.net", {}, FrameKind::kernel, ns(448), ns(2031)},
      {"Builtins_KeyedLoadIC_Megamorphic",
       "[v8 builtins]",
       "",
       "dispatch.property",
       {},
       FrameKind::builtin,
       ns(301),
       ns(320)},
      {"dispatch",
       "[jit]",
       "/srv/app/node_modules/hono/dist/hono-base.js:201",
       "app.lib",
       {Tier::interpreted, Tier::optimised},
       FrameKind::jit,
       ns(217),
       ns(3511)},
      {"v8::internal::Scavenger::ScavengeObject<v8::internal::FullHeapObjectSlot>(v8::internal::"
       "FullHeapObjectSlot, v8::internal::Tagged<v8::internal::HeapObject>)",
       "node",
       "",
       "gc.minor",
       {},
       FrameKind::native,
       ns(99),
       ns(120)}};
  for (int i = 1; i <= 58; ++i) {
    analysis.functions.push_back({.name = "handler_" + std::to_string(i),
                                  .module = "[jit]",
                                  .location = "/srv/app/routes.ts:" + std::to_string(10 * i),
                                  .category = "app.user",
                                  .tiers = {Tier::baseline},
                                  .kind = FrameKind::jit,
                                  .self = ns(66),
                                  .total = ns(70)});
  }
  analysis.functions.push_back(
      {.name = "(no name)", .module = "libsecret.so", .self = ns(29), .total = ns(29)});
  analysis.functions.push_back(
      {"main", "node", "node_main.cc:97", "", {}, FrameKind::native, 0, ns(4922)});
  analysis.threads = {{4242, 4242, "MainThread", ns(4900), 4900, CpuUse{9'860'000'000, 39'000'000}},
                      {4242, 4243, "V8Worker", ns(22), 22, CpuUse{30'000'000, 1'000'000}},
                      {4242, 4247, "libuv-worker", 0, 0, CpuUse{10'000'000, 0}}};
  analysis.stacks = {4900, 4885, {{Outcome::no_root, 12}, {Outcome::read_fault, 3}}, 4};
  Utilisation& use = analysis.utilisation;
  use.verdict = Verdict::cpu_bound;
  use.cores = 0.99;
  use.wait_share = 0.004;
  use.user_share = 0.531;
  use.kernel_share = 0.469;
  use.split_known = true;
  use.busiest_thread = "MainThread";
  use.busiest_thread_cores = 0.986;
  use.cpu_by_accounting_ns = 9.9e9;
  use.cpu_by_samples_ns = static_cast<double>(analysis.total);
  analysis.delivered_hz = 497.2;
  analysis.rule_hash = "1a2b3c4d5e6f";
}

void SampleAnalysis::make_idle() {
  analysis.categories.clear();
  analysis.functions.clear();
  analysis.samples = 0;
  analysis.total = 0;
  analysis.stacks = {};
  for (ThreadShare& thread : analysis.threads)
    thread = {thread.pid, thread.tid, thread.name, 0, 0, CpuUse{}};
  analysis.utilisation = {.verdict = Verdict::idle};
  analysis.delivered_hz = 0;
  analysis.trust = {false, {"0 samples where 100 are needed: run longer or at a higher rate"}};
  profile.run.processes[0].use = {};
}

}  // namespace perfgap
