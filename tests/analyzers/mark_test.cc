// Attribution, step by step: which category each sample is spent in and passes through.
#include <gtest/gtest.h>

#include <string>

#include "analyzers/categories.h"
#include "tests/analyzers/rules.h"
#include "tests/support/profiles.h"

namespace perfgap {
namespace {

using namespace testing_support;

// The only sample's attribution.
Attribution attribution_of(const std::string& stack, const CategoryRules& rules,
                           const std::string& thread = "main") {
  const Profile profile = folded_profile(stack + " 1", {.thread = thread});
  return mark(profile, rules).spent_in.at(0);
}

std::string category_of(const std::string& stack, const CategoryRules& rules,
                        const std::string& thread = "main") {
  return std::string(rules.name(attribution_of(stack, rules, thread).category));
}

DecisionStep step_of(const std::string& stack, const CategoryRules& rules) {
  return attribution_of(stack, rules).step;
}

// A sample inside gc called from a microtask called from dispatch is spent in gc alone, and passes
// through all three.
TEST(Mark, SpentInIsTheInnermostCategory) {
  const CategoryRules rules = rules_for({"dispatch", "microtask", "gc", "~memcpy"});
  const Profile profile =
      folded_profile("main;dispatch;microtask;gc;memcpy 10\nmain;dispatch 30\n");
  const CategoryMarks marks = mark(profile, rules);

  EXPECT_EQ(spent_in(profile, marks, "gc"), 10);  // memcpy bills its caller
  EXPECT_EQ(spent_in(profile, marks, "dispatch"), 30);
  EXPECT_EQ(spent_in(profile, marks, "microtask"), 0);
  EXPECT_EQ(passes_through(profile, marks, "dispatch"), 40);
  EXPECT_EQ(passes_through(profile, marks, "microtask"), 10);
  EXPECT_EQ(passes_through(profile, marks, "gc"), 10);
}

// The id of a transparent rule counts for passes-through only, wherever its frame stands.
TEST(Mark, TransparentIdsOnlyPassThrough) {
  const CategoryRules rules = rules_for({"app", "~mem.copy"});
  const Profile profile = folded_profile("app;mem 3\napp;mem;app 2\n");
  const CategoryMarks marks = mark(profile, rules);
  EXPECT_EQ(spent_in(profile, marks, "app"), 5);
  EXPECT_EQ(spent_in(profile, marks, "mem.copy"), 0);
  EXPECT_EQ(passes_through(profile, marks, "mem.copy"), 5);
}

// A category met several times on one stack is passed through once.
TEST(Mark, RecursionPassesThroughOnce) {
  const CategoryRules rules = rules_for({"dispatch", "app"});
  const Profile profile = folded_profile("dispatch;app;dispatch;app;dispatch 7\n");
  const CategoryMarks marks = mark(profile, rules);
  EXPECT_EQ(passes_through(profile, marks, "dispatch"), 7);
  EXPECT_EQ(passes_through(profile, marks, "app"), 7);
}

// Where kernel frames are left, they alone decide, whatever the user frames say.
TEST(Mark, KernelFramesDecideAlone) {
  const CategoryRules rules = rules_for({"app", "sys.net", "+softirq", "~spinunlock"});
  EXPECT_EQ(category_of("app;sys_[k]", rules), "sys.net");
  EXPECT_EQ(step_of("app;sys_[k]", rules), DecisionStep::kernel_frame);
  EXPECT_EQ(category_of("app;vfs_[k]", rules), "kernel.other");
  EXPECT_EQ(step_of("app;vfs_[k]", rules), DecisionStep::kernel_other);
  // An unknown helper below a frame that does not cover: the kernel, but not what in it.
  EXPECT_EQ(category_of("app;sys_[k];helper_[k]", rules), "kernel.other");
  EXPECT_EQ(category_of("app;sys_[k];softirq_[k];helper_[k]", rules), "softirq");
  EXPECT_EQ(step_of("app;sys_[k];softirq_[k];helper_[k]", rules), DecisionStep::covering_rule);
  EXPECT_EQ(category_of("app;sys_[k];spinunlock_[k]", rules), "sys.net");
  // Only the kernel frames at the leaf's end: the walk ends where user frames begin.
  EXPECT_EQ(category_of("softirq_[k];app;helper_[k]", rules), "kernel.other");
}

// Transparent kernel frames do not make a kernel sample: the interrupted user code is billed.
TEST(Mark, TransparentKernelFramesBillTheUserFrame) {
  const CategoryRules rules = rules_for({"app", "sys.net", "~irqexit"});
  EXPECT_EQ(category_of("app;irqexit_[k]", rules), "app");
  EXPECT_EQ(step_of("app;irqexit_[k]", rules), DecisionStep::user_frame);
}

// A thread's own rule decides before any user frame does, but after kernel frames.
TEST(Mark, ThreadRulesComeBetweenKernelAndUser) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'gc.other'\nthread = '^GC'\n"
      "[[rule]]\ncategory = 'app'\nfunction = '^app$'\n"
      "[[rule]]\ncategory = 'sys.futex'\nfunction = '^futex$'\n");
  EXPECT_EQ(category_of("start;app", rules, "GC Thread#1"), "gc.other");
  EXPECT_EQ(category_of("start;app", rules, "main"), "app");
  EXPECT_EQ(category_of("start;app;futex_[k]", rules, "GC Thread#1"), "sys.futex");
  EXPECT_EQ(category_of("", rules, "GC Thread#1"), "gc.other");

  const Profile profile = folded_profile("start;app;futex_[k] 4\n", {.thread = "GC Thread#1"});
  const CategoryMarks marks = mark(profile, rules);
  EXPECT_EQ(passes_through(profile, marks, "gc.other"), 4);  // the thread is the outermost frame
  EXPECT_EQ(passes_through(profile, marks, "app"), 4);
  EXPECT_EQ(spent_in(profile, marks, "app"), 0);
}

// Unknown helpers belong to the rule around them only if that rule covers them.
TEST(Mark, OnlyCoveringRulesTakeTheirHelpers) {
  const CategoryRules rules = rules_for({"app", "+gc"});
  EXPECT_EQ(category_of("app;gc;helper;helper2", rules), "gc");
  EXPECT_EQ(step_of("app;gc;helper;helper2", rules), DecisionStep::covering_rule);
  EXPECT_EQ(category_of("app;helper", rules), "unattributed");
  // The first frame with a rule decides; a covering rule further out does not come to its aid.
  EXPECT_EQ(category_of("gc;app;helper", rules), "unattributed");
  EXPECT_EQ(category_of("gc;app", rules), "app");
  EXPECT_EQ(step_of("gc;app", rules), DecisionStep::user_frame);
}

// Without a rule that decides, the innermost frame that is not skipped tells whether there was a
// name.
TEST(Mark, UnattributedHasANameUnsymbolisedHasNone) {
  const CategoryRules rules = rules_for({"app", "~memcpy"});
  EXPECT_EQ(category_of("main;helper", rules), "unattributed");
  EXPECT_EQ(category_of("main;?libx.so+0x10", rules), "unsymbolised");
  EXPECT_EQ(category_of("app;?libx.so+0x10", rules), "unsymbolised");
  EXPECT_EQ(category_of("main;?libx.so+0x10;memcpy", rules), "unsymbolised");
  EXPECT_EQ(category_of("?libx.so+0x10;helper", rules), "unattributed");
  EXPECT_EQ(category_of("", rules), "unsymbolised");
}

// A stack of nothing but transparent frames keeps what is known: kernel, a name, or none.
TEST(Mark, OnlyTransparentFrames) {
  const CategoryRules rules = rules_for({"~memcpy", "~irqexit"});
  EXPECT_EQ(category_of("memcpy", rules), "unattributed");
  EXPECT_EQ(category_of("irqexit_[k]", rules), "kernel.other");
  EXPECT_EQ(category_of("memcpy;irqexit_[k]", rules), "unattributed");
}

// The deciding frame and rule are told.
TEST(Mark, NamesTheDecidingFrame) {
  const CategoryRules rules = rules_for({"app", "+gc"});
  const Profile profile = folded_profile("app;gc;helper 1\nmain 1\n");
  const CategoryMarks marks = mark(profile, rules);
  EXPECT_EQ(display_name(profile, marks.spent_in[0].frame), "gc");
  EXPECT_EQ(marks.spent_in[0].rule, 1);
  EXPECT_TRUE(marks.spent_in[1].frame.is_none());
  EXPECT_EQ(marks.spent_in[1].rule, -1);
}

// In a file the first rule that matches a frame wins, be it transparent or not.
TEST(RuleMatching, FirstInAFileWins) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'rt.string'\nfunction = '^js_string'\n"
      "[[rule]]\nfunction = '^js_'\ntransparent = true\n"
      "[[rule]]\ncategory = 'rt.builtin'\nfunction = 'array'\n");
  EXPECT_EQ(category_of("main;js_string_array", rules), "rt.string");
  EXPECT_EQ(category_of("array;js_array", rules), "rt.builtin");
}

// All keys of a rule must match, any one pattern of a list.
TEST(RuleMatching, KeysAreAndListsAreOr) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'alloc.native'\nfunction = ['^malloc$', '^free$']\n"
      "module = ['libc', 'jemalloc']\nkind = 'native'\n");
  EXPECT_EQ(category_of("libc.so.6!malloc", rules), "alloc.native");
  EXPECT_EQ(category_of("libjemalloc.so!free", rules), "alloc.native");
  EXPECT_EQ(category_of("libother.so!free", rules), "unattributed");
  EXPECT_EQ(category_of("libc.so.6!calloc", rules), "unattributed");
  EXPECT_EQ(category_of("libc.so.6!malloc_[i]", rules), "unattributed");
}

// A rule by module alone claims frames without names too.
TEST(RuleMatching, ModuleRulesNeedNoName) {
  const CategoryRules rules = rules_from("[[rule]]\ncategory = 'crypto'\nmodule = 'libcrypto'\n");
  EXPECT_EQ(category_of("main;?/usr/lib/libcrypto.so.3+0x40", rules), "crypto");
}

// Source files tell a program's own scripts from its libraries.
TEST(RuleMatching, BySourceFile) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'app.lib'\nfile = '^node:'\n[[rule]]\ncategory = 'app.user'\nfile = "
      "'.'\n");
  Profile profile;
  profile.set_value_types({{profile.intern("samples"), profile.intern("count")}});
  for (const std::string_view file : {"node:net", "/srv/app.js", ""}) {
    const StringId name = profile.intern("handle");
    const FunctionId function = profile.intern(
        Function{.name = name, .system_name = name, .file = profile.intern(file), .start_line = 1});
    Frame frame;
    frame.function = function;
    profile.add({.stack = profile.intern(StackNode{StackId(), profile.intern(frame)}),
                 .thread = {},
                 .labels = {},
                 .values = {1}});
  }
  const CategoryMarks marks = mark(profile, rules);
  EXPECT_EQ(rules.name(marks.spent_in[0].category), "app.lib");
  EXPECT_EQ(rules.name(marks.spent_in[1].category), "app.user");
  EXPECT_EQ(rules.name(marks.spent_in[2].category), "unattributed");
}

// `where` asks for the end of the stack that the frame stands at.
TEST(RuleMatching, Where) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'interp'\nfunction = '^run$'\nwhere = 'leaf'\n"
      "[[rule]]\ncategory = 'loop'\nfunction = '^run$'\nwhere = 'root'\n"
      "[[rule]]\ncategory = 'app'\nfunction = '^work$'\n");
  EXPECT_EQ(category_of("main;run", rules), "interp");
  EXPECT_EQ(category_of("run;run", rules), "interp");
  EXPECT_EQ(category_of("run;helper", rules), "unattributed");
  const Profile profile = folded_profile("main;run;work 1\nrun;work 2\nmain;work;run 4\n");
  const CategoryMarks marks = mark(profile, rules);
  EXPECT_EQ(passes_through(profile, marks, "interp"), 4);
  EXPECT_EQ(passes_through(profile, marks, "loop"), 2);
}

// A leaf rule's claim does not leak to stacks that go on below the same frame.
TEST(RuleMatching, LeafClaimsStayWithTheLeaf) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'interp'\nfunction = '^run$'\nwhere = 'leaf'\ncovers = true\n");
  const Profile profile = folded_profile("main;run 1\nmain;run;helper 2\n");
  const CategoryMarks marks = mark(profile, rules);
  EXPECT_EQ(spent_in(profile, marks, "interp"), 1);
  EXPECT_EQ(spent_in(profile, marks, "unattributed"), 2);
  EXPECT_EQ(passes_through(profile, marks, "interp"), 1);
}

// `under` asks for a frame further out, at any distance, and not the frame itself.
TEST(RuleMatching, Under) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'gc.minor'\nfunction = '^cycle$'\nunder = ['^minor', '^young']\n"
      "[[rule]]\ncategory = 'gc.major'\nfunction = '^cycle$'\nunder = '^full'\n"
      "[[rule]]\ncategory = 'gc.other'\nfunction = '^cycle$'\n"
      "[[rule]]\ncategory = 'self'\nfunction = '^lonely$'\nunder = '^lonely$'\n");
  EXPECT_EQ(category_of("minor_collect;a;b;cycle", rules), "gc.minor");
  EXPECT_EQ(category_of("young;cycle", rules), "gc.minor");
  EXPECT_EQ(category_of("full;cycle", rules), "gc.major");
  EXPECT_EQ(category_of("full;minor;cycle", rules), "gc.minor");  // the first rule wins
  EXPECT_EQ(category_of("cycle", rules), "gc.other");
  EXPECT_EQ(category_of("lonely", rules), "unattributed");
  EXPECT_EQ(category_of("lonely;lonely", rules), "self");
}

// What stands under a frame is decided stack by stack, though stacks share their trie.
TEST(RuleMatching, UnderIsPerStack) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'kernel.softirq.peer'\nfunction = '^net_rx$'\nunder = '^tcp_sendmsg$'\n"
      "[[rule]]\ncategory = 'kernel.softirq'\nfunction = '^net_rx$'\n");
  const Profile profile = folded_profile(
      "app;tcp_sendmsg_[k];softirq_[k];net_rx_[k] 5\napp;softirq_[k];net_rx_[k] 3\n");
  const CategoryMarks marks = mark(profile, rules);
  EXPECT_EQ(spent_in(profile, marks, "kernel.softirq.peer"), 5);
  EXPECT_EQ(spent_in(profile, marks, "kernel.softirq"), 3);
}

// A rule with a thread and a function holds on that thread only, though threads share stacks.
TEST(RuleMatching, FunctionOnAThread) {
  const CategoryRules rules = rules_from(
      "[[rule]]\ncategory = 'gc.minor'\nfunction = '^work$'\nthread = '^V8Worker'\n"
      "[[rule]]\ncategory = 'app'\nfunction = '^work$'\n");
  const Profile profile = ProfileBuilder()
                              .row("start;work", 2, {.thread = "V8Worker", .tid = 2})
                              .row("start;work", 5, {.thread = "main", .tid = 1})
                              .take();
  const CategoryMarks marks = mark(profile, rules);
  EXPECT_EQ(spent_in(profile, marks, "gc.minor"), 2);
  EXPECT_EQ(spent_in(profile, marks, "app"), 5);
  EXPECT_EQ(passes_through(profile, marks, "gc.minor"), 2);
  EXPECT_EQ(passes_through(profile, marks, "app"), 5);
}

// `program` is the target's own program: not a library, not a runtime's program, and only where
// names are known.
TEST(RuleMatching, Program) {
  const CategoryRules rules =
      rules_from("modules = ['(^|/)node$']\n[[rule]]\ncategory = 'app.user'\nprogram = true\n");
  Profile profile = folded_profile(
      "/srv/redis!main 1\nlibc.so.6!main 2\n/usr/bin/node!main 4\n?/srv/redis+0x10 8\n");
  profile.run.processes.push_back({.pid = 1, .executables = {"/srv/redis", "/usr/bin/node"}});
  const CategoryMarks marks = mark(profile, rules);
  EXPECT_EQ(spent_in(profile, marks, "app.user"), 1);
  EXPECT_EQ(spent_in(profile, marks, "unattributed"), 6);
  EXPECT_EQ(spent_in(profile, marks, "unsymbolised"), 8);
}

// A file applies to profiles in which one of its functions or modules occurs.
TEST(RuleMatching, AppliesWhen) {
  const CategoryRules rules = rules_from(
      "applies_when = { function = '^Builtins_', module = '/node$' }\n"
      "[[rule]]\ncategory = 'loop'\nfunction = '^run$'\n"
      "[[rule]]\ncategory = 'gc'\nthread = '^GC'\n");
  EXPECT_EQ(category_of("run", rules), "unattributed");
  EXPECT_EQ(category_of("run;Builtins_Load;run", rules), "loop");
  EXPECT_EQ(category_of("/usr/bin/node!main;run", rules), "loop");
  EXPECT_EQ(category_of("main", rules, "GC"), "unattributed");
  EXPECT_EQ(category_of("/usr/bin/node!main", rules, "GC"), "gc");
}

// The user's files come before a runtime's, those before the common ones, whatever order they are
// given in.
TEST(RuleSets, Precedence) {
  const auto source = [](std::string name, std::string runtime, RulePrecedence precedence) {
    std::string text = runtime.empty() ? "" : "runtime = '" + runtime + "'\n";
    text += "[[rule]]\ncategory = '" + name + "'\nfunction = '^" + name + "|all$'\n";
    return RuleSource{name + ".toml", text, precedence};
  };
  const std::vector<RuleSource> sources = {
      source("kernel", "common", RulePrecedence::runtime),  // common by its text
      source("v8", "v8", RulePrecedence::runtime),
      source("mine", "", RulePrecedence::user),
  };
  const auto rules = CategoryRules::load(sources);
  ASSERT_TRUE(rules.has_value()) << rules.error().message;
  EXPECT_EQ(category_of("all", *rules), "mine");
  std::vector<std::string> order;
  for (const Rule& rule : rules->rules()) order.push_back(rule.source);
  EXPECT_EQ(order, (std::vector<std::string>{"mine.toml", "v8.toml", "kernel.toml"}));
}

// A rule knows where it was written and what it was checked on.
TEST(RuleSets, RulesKnowTheirOrigin) {
  const CategoryRules rules =
      rules_from("verified = 'node@24.21.0'\n\n[[rule]]\ncategory = 'gc'\nfunction = 'x'\n");
  ASSERT_EQ(rules.rules().size(), 1U);
  EXPECT_EQ(rules.rules()[0].source, "test.toml");
  EXPECT_EQ(rules.rules()[0].line, 4U);
  EXPECT_EQ(rules.rules()[0].verified, "node@24.21.0");
  EXPECT_EQ(rules.name(rules.rules()[0].category), "gc");
}

// The hash is 12 hex digits, equal for equal texts wherever they lie, and changes with any text.
TEST(RuleSets, HashFollowsTheTexts) {
  const auto hash = [](const std::string& name, const std::string& text) {
    const std::vector<RuleSource> sources = {{name, text, RulePrecedence::user}};
    return CategoryRules::load(sources)->hash();
  };
  const std::string text = "[[rule]]\ncategory = 'gc'\nfunction = 'x'\n";
  EXPECT_EQ(hash("a.toml", text), hash("/etc/b.toml", text));
  EXPECT_NE(hash("a.toml", text), hash("a.toml", text + "# changed\n"));
  EXPECT_EQ(hash("a.toml", text).size(), 12U);
  EXPECT_EQ(hash("a.toml", text).find_first_not_of("0123456789abcdef"), std::string::npos);
}

// A bad file stops the load, and is named.
TEST(RuleSets, BadSourceIsNamed) {
  const std::vector<RuleSource> sources = {
      {"good.toml", "[[rule]]\ncategory = 'gc'\nfunction = 'x'\n", RulePrecedence::user},
      {"bad.toml", "[[rule]]\ncategory = 'gc'\nfunction = '*'\n", RulePrecedence::user}};
  const auto rules = CategoryRules::load(sources);
  ASSERT_FALSE(rules.has_value());
  EXPECT_TRUE(rules.error().message.starts_with("bad.toml:3: bad regular expression '*': "))
      << rules.error().message;
}

// The fallback categories are there without any rule.
TEST(RuleSets, FallbacksExist) {
  const auto rules = CategoryRules::load({});
  ASSERT_TRUE(rules.has_value());
  EXPECT_EQ(category_of("main;x_[k]", *rules), "kernel.other");
  EXPECT_EQ(category_of("main", *rules), "unattributed");
}

// The embedded files load together, and every id in them is one of the documented roll-ups.
TEST(BuiltinRules, Load) {
  const std::vector<RuleSource> sources = builtin_rules();
  const auto rules = CategoryRules::load(sources);
  ASSERT_TRUE(rules.has_value()) << rules.error().message;
  EXPECT_GE(rules->rules().size(), 20U);
  for (const Rule& rule : rules->rules()) EXPECT_FALSE(rule.verified.empty()) << rule.source;
}

// Names that make the pattern automaton grow without end, or are no text at all, are still matched.
TEST(RuleMatching, HostileNames) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += "[[rule]]\ncategory = 'trap'\nfunction = 'x(a|b){" + std::to_string(200 + i) + "}y'\n";
  }
  text += "[[rule]]\ncategory = 'app'\nfunction = '^app'\n";
  const CategoryRules rules = rules_from(text);
  std::string name = "app";
  std::uint32_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 1664525 + 1013904223;
    name += "xxab"[state >> 30];
  }
  EXPECT_EQ(category_of(name, rules), "app");
  EXPECT_EQ(category_of("app\xff\xfe\x01", rules), "app");
}

// A stack of a million frames needs no recursion and no quadratic time.
TEST(Mark, DeepStacks) {
  std::string stack = "gc";
  for (int i = 0; i < 1'000'000; ++i) stack += ";a";
  EXPECT_EQ(category_of(stack, rules_for({"+gc"})), "gc");
}

}  // namespace
}  // namespace perfgap
