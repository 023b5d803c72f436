// The function and thread tables and the verdicts of an analysis, from small profiles that show
// their whole input.
#include "analyzers/analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/analyzers/rules.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

// A process with the use of one core out of ten seconds' worth, and its main thread.
void account(Profile& profile, double cores, double busiest_thread_cores) {
  profile.run.tool_version = "1";
  profile.run.run_ms = 10'000;
  profile.run.cpus_online = 4;
  const auto ns = [](double of) { return static_cast<std::uint64_t>(of * 1e10); };
  profile.run.processes = {
      {.pid = 1, .requested = true, .executables = {"/bin/app"}, .use = {.cpu_ns = ns(cores)}}};
  profile.run.threads = {
      {.pid = 1, .tid = 1, .name = "main", .use = {.cpu_ns = ns(busiest_thread_cores)}}};
}

Profile busy_profile(double cores, double busiest_thread_cores) {
  Profile profile = ProfileBuilder().steady("main;app", 500, 20).take();
  account(profile, cores, busiest_thread_cores);
  return profile;
}

const FunctionShare& function(const Analysis& analysis, const std::string& name) {
  const auto found = std::ranges::find(analysis.functions, name, &FunctionShare::name);
  EXPECT_NE(found, analysis.functions.end()) << name;
  return *found;
}

// Self is the leaf's; total counts a sample once however often it recurses.
TEST(Functions, SelfAndTotal) {
  const Profile profile = folded_profile("main;f;g;f;f 10\nmain;g 3\nmain;f 1\n");
  const Analysis analysis = analyze(profile, rules_for({"gc"}));
  EXPECT_EQ(function(analysis, "f").self, 11 * kSampleNs);
  EXPECT_EQ(function(analysis, "f").total, 11 * kSampleNs);
  EXPECT_EQ(function(analysis, "g").self, 3 * kSampleNs);
  EXPECT_EQ(function(analysis, "g").total, 13 * kSampleNs);
  EXPECT_EQ(function(analysis, "main").self, 0);
  EXPECT_EQ(function(analysis, "main").total, 14 * kSampleNs);
  EXPECT_EQ(analysis.functions.front().name, "f");
}

// One function of several tiers and addresses is one row; equal names of other modules or source
// lines are not.
TEST(Functions, TiersAreOneFunction) {
  Profile profile;
  profile.set_value_types({{profile.intern("samples"), profile.intern("count")}});
  const auto add = [&](std::string_view module, std::uint32_t line, Tier tier, FrameKind kind,
                       std::int64_t count) {
    const StringId name = profile.intern("handle");
    Mapping mapping;
    mapping.file = profile.intern(module);
    Frame frame;
    frame.function = profile.intern(Function{
        .name = name, .system_name = name, .file = profile.intern("app.js"), .start_line = line});
    frame.mapping = profile.intern(mapping);
    frame.address = profile.frame_count();
    frame.kind = kind;
    frame.tier = tier;
    profile.add({.stack = profile.intern(StackNode{StackId(), profile.intern(frame)}),
                 .thread = {},
                 .labels = {},
                 .values = {count}});
  };
  add("[jit]", 7, Tier::optimised, FrameKind::jit, 5);
  add("[jit]", 7, Tier::interpreted, FrameKind::interpreted, 2);
  add("[jit]", 7, Tier::none, FrameKind::jit, 1);
  add("[jit]", 9, Tier::none, FrameKind::jit, 3);
  add("/lib/other.so", 7, Tier::none, FrameKind::native, 4);
  const Analysis analysis = analyze(profile, rules_for({"handle"}));
  ASSERT_EQ(analysis.functions.size(), 3U);
  EXPECT_EQ(analysis.functions[0].self, 8);
  EXPECT_EQ(analysis.functions[0].tiers, (std::vector<Tier>{Tier::interpreted, Tier::optimised}));
  EXPECT_EQ(analysis.functions[0].kind, FrameKind::jit);
  EXPECT_EQ(analysis.functions[0].location, "app.js:7");
  EXPECT_EQ(analysis.functions[0].category, "handle");
  EXPECT_EQ(analysis.functions[1].module, "other.so");
  EXPECT_EQ(analysis.functions[2].location, "app.js:9");
}

// Frames without names are one row per module; a function without a rule has no category.
TEST(Functions, WithoutNames) {
  const Analysis analysis = analyze(
      folded_profile("main;?/opt/libx.so+0x10 2\nmain;?/opt/libx.so+0x20 3\n"), rules_for({"gc"}));
  const FunctionShare& nameless = function(analysis, "(no name)");
  EXPECT_EQ(nameless.self, 5 * kSampleNs);
  EXPECT_EQ(nameless.module, "libx.so");
  EXPECT_EQ(function(analysis, "main").category, "");
}

// A function whose rule depends on its place shows the rule of most of its weight.
TEST(Functions, CategoryOfMostWeight) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'gc.minor'\nfunction = '^cycle$'\nunder = '^minor$'\n"
      "[[rule]]\ncategory = 'gc.major'\nfunction = '^cycle$'\n");
  const Analysis analysis = analyze(folded_profile("minor;cycle 9\nfull;cycle 4\n"), rules);
  EXPECT_EQ(function(analysis, "cycle").category, "gc.minor");
}

// Threads by weight; a renamed thread is one row; threads without a sample are listed with their
// accounting.
TEST(Threads, RowsByWeight) {
  Profile profile = ProfileBuilder()
                        .row("a", 5, {.thread = "node", .tid = 10})
                        .row("a", 7, {.thread = "MainThread", .tid = 10})
                        .row("a", 40, {.thread = "worker", .tid = 11})
                        .take();
  profile.run.threads = {
      {.pid = 1, .tid = 10, .name = "MainThread", .use = {.cpu_ns = 3, .wait_ns = 1}},
      {.pid = 1, .tid = 12, .name = "idle", .use = {}}};
  const Analysis analysis = analyze(profile, rules_for({"a"}));
  ASSERT_EQ(analysis.threads.size(), 3U);
  EXPECT_EQ(analysis.threads[0].name, "worker");
  EXPECT_FALSE(analysis.threads[0].use.has_value());
  EXPECT_EQ(analysis.threads[1].name, "MainThread");
  EXPECT_EQ(analysis.threads[1].samples, 12);
  ASSERT_TRUE(analysis.threads[1].use.has_value());
  EXPECT_EQ(analysis.threads[1].use->cpu_ns, 3U);
  EXPECT_EQ(analysis.threads[2].name, "idle");
  EXPECT_EQ(analysis.threads[2].weight, 0);
}

// Completeness is of samples with a user stack whose outcome is known, causes by frequency.
TEST(Stacks, Outcomes) {
  const Profile profile = ProfileBuilder()
                              .row("a", 90, {.outcome = Outcome::complete})
                              .row("a", 3, {.outcome = Outcome::no_root})
                              .row("a", 7, {.outcome = Outcome::read_fault})
                              .row("k_[k]", 50, {.outcome = Outcome::no_user_stack})
                              .row("?x+0x1", 30, {.outcome = Outcome::unknown})
                              .take();
  const StackQuality stacks = analyze(profile, rules_for({"a"})).stacks;
  EXPECT_EQ(stacks.with_user_stack, 100);
  EXPECT_EQ(stacks.complete, 90);
  EXPECT_EQ(stacks.incomplete, (std::vector<std::pair<Outcome, std::int64_t>>{
                                   {Outcome::read_fault, 7}, {Outcome::no_root, 3}}));
  EXPECT_EQ(stacks.unsymbolised_leaf, 30);
}

Verdict verdict(double cores, double busiest_thread_cores) {
  return analyze(busy_profile(cores, busiest_thread_cores), rules_for({"app"})).utilisation.verdict;
}

// One full thread, or all CPUs together, bind a target; next to nothing is idle.
TEST(UtilisationVerdict, ByCores) {
  EXPECT_EQ(verdict(0.99, 0.96), Verdict::cpu_bound);
  EXPECT_EQ(verdict(0.99, 0.94), Verdict::busy);
  EXPECT_EQ(verdict(3.85, 0.40), Verdict::cpu_bound);  // of four CPUs
  EXPECT_EQ(verdict(3.70, 0.40), Verdict::busy);
  EXPECT_EQ(verdict(0.049, 0.049), Verdict::idle);
  EXPECT_EQ(verdict(0.051, 0.051), Verdict::busy);
  EXPECT_EQ(analyze(folded_profile("a 1\n"), rules_for({"a"})).utilisation.verdict,
            Verdict::unknown);
}

// The split is by the leaf's kind, and unknown when the event could only see one side.
TEST(UtilisationSplit, UserAndKernel) {
  Profile profile = folded_profile("a;b_[k] 30\na 70\n");
  account(profile, 1, 1);
  const CategoryRules rules = rules_for({"a"});
  EXPECT_TRUE(analyze(profile, rules).utilisation.split_known);
  EXPECT_DOUBLE_EQ(analyze(profile, rules).utilisation.kernel_share, 0.3);
  EXPECT_DOUBLE_EQ(analyze(profile, rules).utilisation.user_share, 0.7);
  profile.run.event.excludes_kernel = true;
  EXPECT_FALSE(analyze(profile, rules).utilisation.split_known);
}

// The run-queue wait is a share of the time that the target wanted to run.
TEST(UtilisationWait, OfRunnableTime) {
  Profile profile = busy_profile(0.5, 0.5);
  profile.run.processes[0].use.wait_ns = 1'250'000'000;
  EXPECT_DOUBLE_EQ(analyze(profile, rules_for({"app"})).utilisation.wait_share, 0.2);
}

// A named pid that idles while its descendant works is a launcher; the work may be counted or not.
TEST(Launchers, AreNamedWithTheirBusyChildren) {
  Profile profile = busy_profile(0.0, 0.0);
  const auto process = [](std::uint64_t pid, std::uint64_t parent, double cores) {
    return ProcessRun{.pid = pid,
                      .parent_pid = parent,
                      .command = "child",
                      .executables = {"/x"},
                      .use = {.cpu_ns = static_cast<std::uint64_t>(cores * 1e10)}};
  };
  profile.run.processes.push_back(process(2, 1, 0.01));
  profile.run.processes.push_back(process(3, 2, 0.90));  // a grandchild
  profile.run.processes.push_back(process(4, 1, 0.95));
  profile.run.processes.back().counted = false;
  const Utilisation use = analyze(profile, rules_for({"app"})).utilisation;
  ASSERT_EQ(use.launchers.size(), 2U);
  EXPECT_EQ(use.launchers[0].pid, 1U);
  EXPECT_EQ(use.launchers[0].child_pid, 4U);
  EXPECT_FALSE(use.launchers[0].counted);
  EXPECT_EQ(use.launchers[1].child_pid, 3U);
  EXPECT_TRUE(use.launchers[1].counted);
  EXPECT_NEAR(use.cores, 0.91, 1e-9);  // what is not counted adds nothing

  profile.run.processes[0].use.cpu_ns = 600'000'000;  // 0.06 cores: it works itself
  EXPECT_TRUE(analyze(profile, rules_for({"app"})).utilisation.launchers.empty());
  profile.run.processes[1].parent_pid = 2;  // a circle in a damaged file ends
  EXPECT_TRUE(analyze(profile, rules_for({"app"})).utilisation.launchers.empty());
}

std::vector<std::string> reasons(const Profile& profile) {
  return analyze(profile, rules_for({"app"})).trust.reasons;
}

// Fewer than a hundred samples are not to be trusted.
TEST(TrustLimits, Samples) {
  EXPECT_EQ(
      reasons(folded_profile("a 99\n")),
      std::vector<std::string>{"99 samples where 100 are needed: run longer or at a higher rate"});
  EXPECT_TRUE(reasons(folded_profile("a 100\n")).empty());
}

Profile heap_profile(std::string_view type, std::string_view unit) {
  Profile profile;
  profile.set_value_types({{profile.intern(type), profile.intern(unit)}});
  const StringId name = profile.intern("main");
  Frame frame;
  frame.function = profile.intern(Function{.name = name, .system_name = name, .file = {}});
  Sample sample;
  sample.stack = profile.intern(StackNode{{}, profile.intern(frame)});
  sample.thread = profile.intern(Thread{.pid = 1, .tid = 1, .comm = {}, .name = {}});
  sample.values = {4096};
  profile.add(sample);
  return profile;
}

// Heap figures are scaled counts, so that few rows are no fault of them.
TEST(TrustLimits, HeapFigures) {
  EXPECT_TRUE(reasons(heap_profile("inuse_space", "bytes")).empty());
  EXPECT_TRUE(reasons(heap_profile("inuse_objects", "count")).empty());
  EXPECT_FALSE(reasons(heap_profile("cpu", "nanoseconds")).empty());
}

// More than 5 % lost is not to be trusted, and the main cause is named.
TEST(TrustLimits, Losses) {
  Profile profile = folded_profile("a 1900\n");
  profile.run.losses = {{"ring full", 60}, {"scratch busy", 40}};
  EXPECT_TRUE(reasons(profile).empty());  // exactly 5 %
  profile.run.losses["ring full"] = 61;
  EXPECT_EQ(reasons(profile),
            std::vector<std::string>{"5.0 % of samples lost (101 of 2,001), most by: ring full"});
  EXPECT_EQ(analyze(profile, rules_for({"app"})).lost, 101);
}

// More than 10 % incomplete user stacks are not to be trusted.
TEST(TrustLimits, IncompleteStacks) {
  const auto with_incomplete = [](std::int64_t count) {
    return ProfileBuilder()
        .row("a", 1000 - count, {.outcome = Outcome::complete})
        .row("a", count, {.outcome = Outcome::bad_frame_pointer})
        .row("k_[k]", 5000, {.outcome = Outcome::no_user_stack})
        .take();
  };
  EXPECT_TRUE(reasons(with_incomplete(100)).empty());
  EXPECT_EQ(reasons(with_incomplete(150)),
            std::vector<std::string>{
                "15.0 % of user stacks incomplete (150 of 1,000), most by: bad frame pointer"});
  EXPECT_FALSE(analyze(with_incomplete(150), rules_for({"app"})).trust.trusted);
}

std::vector<std::string> notes_of(std::int64_t samples, double accounted_s,
                                  std::uint64_t lost = 0) {
  Profile profile = ProfileBuilder().row("app", samples, {}).take();
  account(profile, accounted_s / 10, 0.5);
  profile.run.losses["ring full"] = lost;
  return analyze(profile, rules_for({"app"})).notes;
}

// Samples and accounting that differ by more than 2 %, and by more than chance, are remarked on,
// with a cause.
TEST(Notes, SamplesAgainstAccounting) {
  EXPECT_TRUE(notes_of(100'000, 101.9).empty());  // of 1 ms each
  ASSERT_EQ(notes_of(100'000, 104).size(), 1U);
  EXPECT_TRUE(notes_of(100'000, 104)[0].starts_with(
      "samples stand for 100.00 s of CPU, the kernel accounts for 104.00 s (-3.8 %): "));
  EXPECT_NE(notes_of(100'000, 104, 4'000)[0].find("4,000 lost samples explain it"),
            std::string::npos);
  EXPECT_EQ(notes_of(100'000, 90)[0].find("lost"), std::string::npos);
  EXPECT_TRUE(notes_of(400, 0.45).empty());  // 11 % apart, but 400 samples scatter by 15 %
  ASSERT_EQ(notes_of(400, 0.50).size(), 1U);
}

// Notes begin with the run's own; another rule set than the recorded one is told.
TEST(Notes, OfTheRunAndItsRules) {
  Profile profile = folded_profile("app 100\n");
  profile.run.notes = {"kernel symbols are hidden"};
  profile.run.rule_hash = "000000000000";
  const Analysis analysis = analyze(profile, rules_for({"app"}));
  ASSERT_EQ(analysis.notes.size(), 2U);
  EXPECT_EQ(analysis.notes[0], "kernel symbols are hidden");
  EXPECT_EQ(analysis.notes[1], "recorded with rules 000000000000, categories shown by rules " +
                                   rules_for({"app"}).hash());
}

// The rate delivered is per second of CPU that the kernel accounts for.
TEST(AnalysisTotals, DeliveredRate) {
  const Analysis analysis = analyze(busy_profile(0.5, 0.5), rules_for({"app"}));
  EXPECT_EQ(analysis.samples, 500);
  EXPECT_EQ(analysis.total, 500 * kSampleNs);
  EXPECT_DOUBLE_EQ(analysis.delivered_hz, 100);
  EXPECT_EQ(analysis.metric_type, "cpu");
  EXPECT_EQ(analysis.metric_unit, "nanoseconds");
}

// Nothing at all gives an analysis that says so.
TEST(AnalysisTotals, EmptyProfile) {
  for (const Profile& profile : {Profile(), folded_profile("")}) {
    const Analysis analysis = analyze(profile, rules_for({"app"}));
    EXPECT_EQ(analysis.samples, 0);
    EXPECT_FALSE(analysis.trust.trusted);
    for (const CategoryShare& share : analysis.categories) EXPECT_EQ(share.spent_in_share, 0);
  }
}

}  // namespace
}  // namespace perfgap
