// The screen when the target chooses every name: no line breaks out of the page.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "columns.h"
#include "hostile_names.h"
#include "reports/text.h"
#include "sample_analysis.h"

namespace perfgap {
namespace {

void fill_with_hostile_names(SampleAnalysis& sample, std::mt19937& random) {
  Analysis& analysis = sample.analysis;
  for (CategoryShare& row : analysis.categories) {
    if (random() % 3 == 0) row.name += hostile_name(random);
  }
  for (FunctionShare& function : analysis.functions) {
    function.name = hostile_name(random);
    function.module = hostile_name(random);
    function.location = hostile_name(random);
    function.category = hostile_name(random);
  }
  for (ThreadShare& thread : analysis.threads) thread.name = hostile_name(random);
  analysis.notes = {hostile_name(random), hostile_name(random)};
  analysis.trust = {false, {hostile_name(random)}};
  analysis.utilisation.busiest_thread = hostile_name(random);
  analysis.utilisation.launchers = {{1, 0, UINT64_MAX, hostile_name(random), 1, random() % 2 == 0}};
  analysis.rule_hash = hostile_name(random);
  analysis.metric_type = random() % 2 == 0 ? "cpu" : hostile_name(random);
  RunInfo& run = sample.profile.run;
  run.host = hostile_name(random);
  run.kernel = hostile_name(random);
  run.machine = hostile_name(random);
  run.backend = hostile_name(random);
  run.unwinding = hostile_name(random);
  run.event = {hostile_name(random), hostile_name(random), hostile_name(random)};
  run.end_reason = hostile_name(random);
  run.tool_version += hostile_name(random);
  run.losses = {{hostile_name(random), 3}, {hostile_name(random), 4}};
  analysis.lost = 7;
  for (int i = 0; i < 6; ++i) {
    run.processes.push_back({.pid = random(),
                             .requested = random() % 2 == 0,
                             .counted = random() % 2 == 0,
                             .comm = hostile_name(random),
                             .command = hostile_name(random),
                             .execs = {hostile_name(random)},
                             .exited = true,
                             .exit_status = static_cast<int>(random() % 256),
                             .use = {random(), 0}});
  }
}

// Whatever the target calls itself: no line is wider than the page, none carries a control or
// reordering character.
TEST(Text, HostileNamesCannotBreakTheScreen) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    SampleAnalysis sample;
    fill_with_hostile_names(sample, random);
    for (const int width : {80, 120}) {
      for (const std::string& line : lines_of(text_report(sample.analysis, {.width = width}))) {
        ASSERT_LE(columns_of(line), width) << "seed " << seed << ": " << line;
        ASSERT_GE(columns_of(line), 0) << "seed " << seed << ": not printable: " << line;
        for (const char* reordering : {"\u202e", "\u2066", "\u200b", "\u2028", "\ufeff"}) {
          ASSERT_FALSE(contains(line, reordering)) << "seed " << seed << ": " << line;
        }
      }
    }
  }
}

// A long module or category is cut before it takes the place of the function's name.
TEST(Text, NamesKeepTheirColumn) {
  SampleAnalysis sample;
  sample.analysis.functions[0].module = std::string(300, 'm');
  sample.analysis.functions[0].category = std::string(300, 'c');
  EXPECT_TRUE(contains(text_report(sample.analysis), "tcp_sendmsg_locked"));
}

// A target cannot fill the screen with one long text.
TEST(Text, LongTextsAreCut) {
  SampleAnalysis sample;
  sample.profile.run.processes[0].command = std::string(100'000, 'x');
  sample.profile.run.processes[0].execs = {std::string(100'000, 'y')};
  sample.analysis.utilisation.launchers = {{1, 0, 2, std::string(100'000, 'z'), 1, true}};
  sample.analysis.notes.assign(1000, std::string(10'000, 'n'));
  EXPECT_LT(lines_of(text_report(sample.analysis)).size(), 180);
}

}  // namespace
}  // namespace perfgap
