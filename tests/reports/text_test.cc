// The screen: sums, widths, digits and words of the text report.
#include "reports/text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "columns.h"
#include "sample_analysis.h"

namespace perfgap {
namespace {

// A row of the category table as printed.
struct Row {
  std::string label;
  bool indented = false;
  double spent_in = 0;
};

std::vector<Row> category_rows_of(const std::string& text) {
  static const std::regex pattern("^  ( *)(\\S.*?)  +([0-9.]+) %.*$");
  std::vector<Row> rows;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (contains(line, "passes through")) {
      inside = true;
      continue;
    }
    std::smatch match;
    if (!inside || !std::regex_match(line, match, pattern)) {
      inside = false;
      continue;
    }
    rows.push_back({match[2], match[1].length() > 0, std::stod(match[3])});
  }
  return rows;
}

// The whole screen of a small server, as a reader sees it.
TEST(Text, MatchesTheGoldenScreen) {
  const SampleAnalysis sample;
  std::ifstream file(PERFGAP_SOURCE_DIR "/tests/reports/golden/screen_80.txt");
  std::ostringstream golden;
  golden << file.rdbuf();

  EXPECT_EQ(text_report(sample.analysis), golden.str());
}

// The column "spent in", as printed, sums to exactly 100.0, and the rows of a roll-up to the
// roll-up.
TEST(Text, SpentInSumsToTheTotal) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<CategoryCounts> counts;
    for (const char* name :
         {"sys.net", "sys.file", "sys.other", "gc.minor", "gc.major", "app.user", "app.lib",
          "interp", "regex", "lock", "unattributed", "unsymbolised"}) {
      const std::int64_t samples = random() % 4 == 0 ? 0 : random() % (1U << random() % 12);
      counts.push_back({name, samples, samples});
    }
    counts[0].spent_in += 300;
    counts[0].passes_through += 300;
    SampleAnalysis sample;
    sample.analysis.categories = category_rows(counts);
    for (CategoryShare& row : sample.analysis.categories) {  // some too wide for decimals
      if (random() % 4 == 0) row.spent_in_interval = {0, row.spent_in_share + 0.2, true};
    }
    const std::vector<Row> rows = category_rows_of(text_report(sample.analysis));

    ASSERT_GE(rows.size(), 3) << seed;
    ASSERT_EQ(rows.back().label, "total") << seed;
    ASSERT_EQ(rows.back().spent_in, 100.0) << seed;
    double sum = 0;
    double head = 0;
    double parts = 0;
    bool unfolded = false;
    for (const Row& row : rows) {
      if (row.indented) {
        parts += row.spent_in;
        unfolded = true;
        continue;
      }
      if (unfolded) {
        ASSERT_NEAR(parts, head, 1e-6) << seed;
      }
      head = row.spent_in;
      parts = 0;
      unfolded = false;
      if (&row != &rows.back()) sum += row.spent_in;
    }
    ASSERT_NEAR(sum, 100.0, 1e-6) << seed;
  }
}

// What no rule explains is always shown, even if it is nothing; other empty categories are not.
TEST(Text, UnexplainedIsAlwaysShown) {
  SampleAnalysis sample;
  sample.analysis.categories = category_rows({{"app.user", 500, 500},
                                              {"kernel.other", 0, 0},
                                              {"ser.json", 0, 0},
                                              {"unattributed", 0, 0},
                                              {"unsymbolised", 0, 0}});
  const std::string text = text_report(sample.analysis);

  EXPECT_TRUE(contains(text, "kernel.other"));
  EXPECT_TRUE(contains(text, "unattributed"));
  EXPECT_TRUE(contains(text, "unsymbolised"));
  EXPECT_FALSE(contains(text, "ser.json"));
}

// A figure known to ±12 points has no decimals, one known to ±0.7 has one, and they still sum.
TEST(Text, DigitsFollowTheInterval) {
  SampleAnalysis sample;
  for (CategoryShare& row : sample.analysis.categories) {
    if (row.name == "sys")
      row.spent_in_interval = {row.spent_in_share - 0.12, row.spent_in_share + 0.12, true};
  }
  const std::string text = text_report(sample.analysis);

  EXPECT_TRUE(std::regex_search(text, std::regex("\n  sys +28 % ± 12 ")));
  EXPECT_TRUE(std::regex_search(text, std::regex("\n  interp +5.8 % ± 0.7 ")));
  double sum = 0;
  for (const Row& row : category_rows_of(text)) {
    if (!row.indented && row.label != "total") sum += row.spent_in;
  }
  EXPECT_NEAR(sum, 100, 1e-6);
}

// Passing through is never less than being spent in, also after rounding.
TEST(Text, PassesThroughCoversSpentIn) {
  static const std::regex figures("([0-9.]+) %[^%]*? ([0-9.]+) %");
  for (const std::string& line : lines_of(text_report(SampleAnalysis().analysis))) {
    std::smatch match;
    if (!contains(line, "±") || !std::regex_search(line, match, figures)) continue;
    EXPECT_LE(std::stod(match[1]), std::stod(match[2])) << line;
  }
}

// Too few samples for intervals: counts, no share, and why.
TEST(Text, UnknownIntervalsLeaveCountsOnly) {
  SampleAnalysis sample;
  sample.analysis.categories =
      category_rows({{"app.user", 12, 12}, {"unattributed", 1, 1}, {"unsymbolised", 0, 0}});
  sample.analysis.samples = 13;
  sample.analysis.total = 13 * kPeriodNs;
  sample.analysis.functions = {
      {.name = "work", .module = "server", .self = 12 * kPeriodNs, .total = 13 * kPeriodNs}};
  sample.analysis.trust = {false, {"13 samples where 100 are needed"}};
  const std::string text = text_report(sample.analysis);

  EXPECT_TRUE(text.starts_with("Low trust: 13 samples where 100 are needed\n"));
  EXPECT_TRUE(std::regex_search(text, std::regex("\n  app.user +n/a +n/a +12\n")));
  EXPECT_TRUE(std::regex_search(text, std::regex("\n  total +n/a +13\n")));
  EXPECT_TRUE(std::regex_search(text, std::regex("\n +24 ms +26 ms  work +server")));
  EXPECT_TRUE(contains(text, "shares n/a: too few samples"));
  EXPECT_FALSE(contains(text, "±"));
}

// No sample at all is an answer, said first; no table stays empty and no number is not one.
TEST(Text, AnIdleTargetIsCalledIdle) {
  SampleAnalysis sample;
  sample.make_idle();
  const std::string text = text_report(sample.analysis);

  EXPECT_TRUE(text.starts_with("Idle, 0 samples: the process was not on a CPU; shares n/a.\n"))
      << text;
  EXPECT_FALSE(std::regex_search(
      text, std::regex("nan|inf\\b|%|category|spent in|function", std::regex::icase)))
      << text;
  EXPECT_TRUE(contains(text, "10.0 of 10.0 s   0 samples   0 lost"));
}

// Idle, but sampled now and then: said first, with what the figures are worth.
TEST(Text, AnIdleTargetWithSamplesIsCalledIdleToo) {
  SampleAnalysis sample;
  sample.analysis.utilisation.verdict = Verdict::idle;
  sample.analysis.utilisation.cores = 0.003;

  EXPECT_TRUE(
      text_report(sample.analysis)
          .starts_with("Idle: used under 0.01 cores; the shares below explain next to nothing.\n"));
}

// A target that used CPU but gave no sample was not idle, and is not called so.
TEST(Text, NoSamplesOfABusyTargetAreNotIdleness) {
  SampleAnalysis sample;
  sample.make_idle();
  sample.analysis.utilisation = {.verdict = Verdict::busy, .cores = 0.52};
  sample.analysis.lost = 250;
  sample.profile.run.losses = {{"ring full", 250}, {"scratch busy", 0}};
  const std::string text = text_report(sample.analysis);

  EXPECT_TRUE(
      text.starts_with("0 samples: the target used 0.52 cores, but no sample of it arrived"))
      << text;
  EXPECT_FALSE(contains(text, "Idle"));
  EXPECT_TRUE(contains(text, "250 lost (100.0 %: ring full 250)")) << text;
}

// A launcher is named first, with the children that do the work: counted, or how to count them.
TEST(Text, LaunchersAreNamed) {
  SampleAnalysis sample;
  sample.analysis.utilisation.launchers = {{4242, 0.001, 4250, "node fastify.ts", 0.98, true}};
  EXPECT_TRUE(
      text_report(sample.analysis)
          .starts_with(
              "Launcher: pid 4242 used 0.00 cores; its child 4250 (node fastify.ts) used 0.98\n"
              "  and is included below.\n"));

  sample.analysis.utilisation.launchers[0].counted = false;
  EXPECT_TRUE(contains(text_report(sample.analysis),
                       "used 0.98;\n  it is not counted here: profile --pid 4250\n"));

  sample.analysis.utilisation.launchers.push_back(
      {4242, 0.001, 4251, "node fastify.ts", 0.5, false});
  EXPECT_TRUE(
      contains(text_report(sample.analysis),
               "Launcher: pid 4242 used 0.00 cores; its 2 busy children used 1.48, the busiest,\n"
               "  4250 (node fastify.ts), 0.98; they are not counted here: profile --pid 4250\n"
               "  --pid 4251\n"))
      << text_report(sample.analysis);
}

// A busy child that was left out by request is named, launcher or not.
TEST(Text, BusyChildrenLeftOutAreNamed) {
  SampleAnalysis sample;
  sample.profile.run.processes.push_back({.pid = 4300,
                                          .parent_pid = 4242,
                                          .counted = false,
                                          .command = "node worker.js",
                                          .use = {3'000'000'000, 0}});
  sample.profile.run.processes.push_back(
      {.pid = 4301, .counted = false, .command = "sleeper", .use = {1'000'000, 0}});
  const std::string text = text_report(sample.analysis);

  EXPECT_TRUE(text.starts_with(
      "Not counted: child 4300 (node worker.js) used 0.30 cores: profile --pid 4300\n"))
      << text;
  EXPECT_FALSE(contains(text, "sleeper"));
}

// How busy the target was: bound by one thread, by all CPUs, or not bound.
TEST(Text, TheVerdictSaysWhatBindsTheTarget) {
  SampleAnalysis sample;
  Utilisation& use = sample.analysis.utilisation;
  EXPECT_TRUE(contains(text_report(sample.analysis),
                       "\nCPU-bound: thread MainThread used 0.99 of one core.\n"));

  use.cores = 1.96;
  use.busiest_thread_cores = 0.5;
  EXPECT_TRUE(contains(text_report(sample.analysis), "\nCPU-bound: used 1.96 of 2 cores.\n"));

  use.verdict = Verdict::busy;
  use.wait_share = 0.1;
  EXPECT_TRUE(
      contains(text_report(sample.analysis),
               "\nNot CPU-bound: thread MainThread, the busiest, used 0.50 of one core.\n"));

  use.wait_share = 0.76;
  EXPECT_TRUE(
      contains(text_report(sample.analysis),
               "\nShort of CPU: thread MainThread used 0.50 of one core; the target waited for a\n"
               "  CPU 76 % of the time it could have run.\n"));
}

// A run that ended early, a process that ended, and one that became another program are all shown.
TEST(Text, EndsAndExecsAreShown) {
  SampleAnalysis sample;
  RunInfo& run = sample.profile.run;
  run.run_ms = 2'010;
  run.end_reason = "target ended";
  run.processes[0].exited = true;
  run.processes[0].ended_ms = 2'004;
  run.processes[0].exit_status = 3;
  run.processes.push_back({.pid = 7, .parent_pid = 4242, .execs = {"renamed after exec 10"}});
  run.processes.push_back(
      {.pid = 8, .began_ms = 500, .exited = true, .ended_ms = 1'500, .exit_status = 137});
  const std::string text = text_report(sample.analysis);

  EXPECT_TRUE(contains(text, "\n2.0 of 10.0 s (target ended)   4,922 samples"));
  EXPECT_TRUE(contains(text, "\npid 4242 ended after 2.0 s, exit status 3\n"));
  EXPECT_TRUE(contains(text, "\npid 7 became 'renamed after exec 10' by exec\n"));
  EXPECT_TRUE(contains(text, "\npid 8 ran from 0.50 s to 1.5 s, exit status 137 (SIGKILL)\n"));
  EXPECT_TRUE(contains(text, "(pid 4242, 2 child processes, 3 threads)"));
}

// Samples of a counter are not time: no CPU time is read from them.
TEST(Text, CyclesAreNotTime) {
  SampleAnalysis sample;
  sample.analysis.metric_type = "cycles";
  sample.analysis.metric_unit = "count";
  sample.analysis.utilisation.cpu_by_samples_ns = 0;
  sample.profile.run.event = {.requested = "cycles:u", .name = "cycles:u", .excludes_kernel = true};
  std::string text = text_report(sample.analysis);
  EXPECT_TRUE(contains(text, "\n  cycles, user side "));
  EXPECT_FALSE(contains(text, "CPU time"));

  sample.analysis.categories = category_rows({{"app.user", 12, 12}});  // too few for shares
  text = text_report(sample.analysis);
  EXPECT_TRUE(std::regex_search(text, std::regex("\n +896 M +4.06 G  tcp_sendmsg_locked"))) << text;
}

// The rate asked, what the kernel allowed, and what came are all told, and why the event is not the
// one asked for.
TEST(Text, TheHeaderTellsEventAndRates) {
  SampleAnalysis sample;
  EXPECT_TRUE(
      contains(text_report(sample.analysis),
               "cpu-clock, not cycles (no hardware PMU here)   499 Hz asked, 497 delivered"));
  sample.profile.run.rate_asked_hz = 99'999;
  sample.profile.run.rate_opened_hz = 4'000;
  sample.profile.run.cpus_sampled = 1;
  const std::string text = text_report(sample.analysis);
  EXPECT_TRUE(contains(text, "99,999 Hz asked, 4,000 allowed, 497 delivered")) << text;
  EXPECT_TRUE(contains(text, "1 of 2 CPUs sampled")) << text;
}

// A drifting share is said to drift, next to the intervals it makes doubtful.
TEST(Text, AMovingShareIsTold) {
  SampleAnalysis sample;
  EXPECT_FALSE(contains(text_report(sample.analysis), "still moving"));
  sample.analysis.share_moving = true;
  EXPECT_TRUE(
      contains(text_report(sample.analysis), "this run only\n  share still moving, run longer\n"));
}

// A file without a manifest still shows its shares, and says what it lacks.
TEST(Text, AForeignProfileHasNoRun) {
  SampleAnalysis sample;
  sample.profile.run = {};
  sample.analysis.utilisation = {};
  sample.analysis.delivered_hz = 0;
  for (ThreadShare& thread : sample.analysis.threads) thread.use.reset();
  const std::string text = text_report(sample.analysis);

  EXPECT_TRUE(text.starts_with("a profile of another program")) << text;
  EXPECT_TRUE(contains(text, "\n  total                 100.0 %"));
  EXPECT_TRUE(std::regex_search(text, std::regex(" n/a +n/a +4242  MainThread\n"))) << text;
  EXPECT_FALSE(contains(text, "pid 0"));
}

// A wide terminal shows long names whole; a narrow one cuts them.
TEST(Text, WideTerminalsShowNamesWhole) {
  const SampleAnalysis sample;
  const std::string& name = sample.analysis.functions[3].name;
  EXPECT_TRUE(contains(text_report(sample.analysis, {.width = 300}), name));
  EXPECT_FALSE(contains(text_report(sample.analysis, {.width = 80}), name));
}

// Colour adds escapes and nothing else; without it there are none.
TEST(Text, ColourOnlyAddsEscapes) {
  const SampleAnalysis sample;
  const std::string plain = text_report(sample.analysis);
  const std::string coloured = text_report(sample.analysis, {.colour = true});
  EXPECT_FALSE(contains(plain, "\x1b"));
  EXPECT_TRUE(contains(coloured, "\x1b["));
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""), plain);
}

}  // namespace
}  // namespace perfgap
