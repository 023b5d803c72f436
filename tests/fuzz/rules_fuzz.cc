// Any text as a user's rules file: it is refused with one line, or it judges a profile without
// breaking a total.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analyzers/analysis.h"
#include "tests/support/profiles.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_message(const std::string& message) {
  require(message.starts_with("fuzz.toml:") || message.starts_with("rules: "));
  require(std::ranges::none_of(message, [](unsigned char c) { return c < 0x20; }));
}

const perfgap::Profile& profile() {
  static const perfgap::Profile profile = [] {
    perfgap::Profile built = perfgap::testing_support::folded_profile(
        "main;dispatch;microtask;gc;memcpy 10\nmain;app;tcp_sendmsg_[k];softirq_[k] 5\n"
        "?libx.so+0x10;handle_[j];a_[i] 3\nstart_thread;V8Worker 2\n",
        {.thread = "V8Worker", .time_ms = 10});
    built.run.processes.push_back({.pid = 1, .executables = {"/bin/app"}});
    return built;
  }();
  return profile;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const perfgap::RuleSource source{"fuzz.toml", text, perfgap::RulePrecedence::user};
  const auto rules = perfgap::CategoryRules::load({&source, 1});
  if (!rules) {
    check_message(rules.error().message);
    return 0;
  }
  const perfgap::Analysis analysis = perfgap::analyze(profile(), *rules);
  std::int64_t sum = 0;
  for (const perfgap::CategoryShare& share : analysis.categories) {
    require(share.spent_in <= share.passes_through && share.passes_through <= analysis.total);
    if (share.is_rollup) sum += share.spent_in;
  }
  require(sum == analysis.total);
  const perfgap::CategoryMarks marks = perfgap::mark(profile(), *rules);
  require(!perfgap::explain(profile(), marks, "gc").empty());
  return 0;
}
