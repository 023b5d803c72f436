#include "symbolizer/root.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "symbolizer/entry_code_x86_64.h"
#include "symbolizer/symbolize.h"
#include "tests/symbolizer/support.h"

namespace perfgap {
namespace {

using test::TempDir;

constexpr RootFrame kCode{};
constexpr RootFrame kEntry{.mapped = true, .entry = true};
constexpr RootFrame kNoCode{.mapped = false, .entry = false};

void expect_verdict(std::vector<RootFrame> frames, Outcome walk, std::size_t depth,
                    Outcome outcome) {
  const RootVerdict verdict = judge_root(frames, walk);
  EXPECT_EQ(verdict.depth, depth);
  EXPECT_EQ(verdict.outcome, outcome);
}

// A caller in a known entry completes the stack, however the walk ended.
TEST(JudgeRoot, KnownEntryCompletes) {
  for (const Outcome walk : {Outcome::complete, Outcome::bad_frame_pointer, Outcome::read_fault,
                             Outcome::too_deep, Outcome::unknown})
    expect_verdict({kCode, kCode, kEntry}, walk, 3, Outcome::complete);
}

// What a scratch frame pointer led to beyond an entry is dropped; further entries are kept.
TEST(JudgeRoot, FramesBeyondAnEntryAreDropped) {
  expect_verdict({kCode, kEntry, kCode, kCode}, Outcome::too_deep, 2, Outcome::complete);
  expect_verdict({kCode, kEntry, kEntry, kNoCode}, Outcome::read_fault, 3, Outcome::complete);
}

// An address in no executable memory cuts the stack; the leaf alone is kept whatever it is.
TEST(JudgeRoot, GarbageIsCut) {
  expect_verdict({kCode, kCode, kNoCode, kCode}, Outcome::complete, 2, Outcome::bad_frame_pointer);
  expect_verdict({kNoCode, kCode, kEntry}, Outcome::complete, 3, Outcome::complete);
  expect_verdict({kNoCode, kNoCode}, Outcome::read_fault, 1, Outcome::bad_frame_pointer);
  expect_verdict({kCode, kNoCode, kEntry}, Outcome::complete, 1, Outcome::bad_frame_pointer);
}

// A zero frame pointer outside an entry is no root.
TEST(JudgeRoot, ZeroFramePointerAloneIsNoRoot) {
  expect_verdict({kCode, kCode}, Outcome::complete, 2, Outcome::no_root);
  expect_verdict({kCode, kCode}, Outcome::read_fault, 2, Outcome::read_fault);
}

// The leaf is not a caller: clone may just have been called. Alone, at a zero frame pointer, it is
// the thread's first code.
TEST(JudgeRoot, LeafCountsOnlyAlone) {
  expect_verdict({kEntry, kCode, kCode}, Outcome::complete, 3, Outcome::no_root);
  expect_verdict({kEntry}, Outcome::complete, 1, Outcome::complete);
  expect_verdict({kEntry}, Outcome::bad_frame_pointer, 1, Outcome::bad_frame_pointer);
}

// No user stack at all.
TEST(JudgeRoot, NoUserStack) {
  expect_verdict({}, Outcome::unknown, 0, Outcome::no_user_stack);
}

// Reserved names are entries anywhere; main is not, nor are common words.
TEST(EntrySymbols, Names) {
  for (const char* name : {"_start", "__libc_start_main", "__libc_start_main_impl",
                           "__libc_start_call_main", "runtime.goexit", "runtime.goexit.abi0",
                           "runtime.mstart", "runtime.mstart0", "runtime.rt0_go", "_rt0_amd64"})
    EXPECT_TRUE(is_entry_symbol(name)) << name;
  for (const char* name :
       {"main", "clone", "start_thread", "start", "_start_server", "runtime.main"})
    EXPECT_FALSE(is_entry_symbol(name)) << name;
  for (const char* name : {"clone", "clone3", "__clone", "__clone3", "start_thread", "start"})
    EXPECT_TRUE(is_libc_entry_symbol(name)) << name;
  EXPECT_FALSE(is_libc_entry_symbol("main"));
}

ReturnSite site(std::initializer_list<std::uint8_t> before,
                std::initializer_list<std::uint8_t> after) {
  ReturnSite out;
  out.address = 0x1000;
  std::ranges::copy(before, out.before.end() - static_cast<std::ptrdiff_t>(before.size()));
  std::ranges::copy(after, out.after.begin());
  return out;
}

// Every addressing form of `call *operand` is known, direct calls and other uses of FF are not.
TEST(EntryCode, IndirectCalls) {
  EXPECT_TRUE(follows_indirect_call(site({0xff, 0xd0}, {})));                    // *%rax
  EXPECT_TRUE(follows_indirect_call(site({0x41, 0xff, 0xd1}, {})));              // *%r9
  EXPECT_TRUE(follows_indirect_call(site({0xff, 0x10}, {})));                    // *(%rax)
  EXPECT_TRUE(follows_indirect_call(site({0xff, 0x50, 8}, {})));                 // *8(%rax)
  EXPECT_TRUE(follows_indirect_call(site({0xff, 0x93, 0x38, 6, 0, 0}, {})));     // *0x638(%rbx)
  EXPECT_TRUE(follows_indirect_call(site({0xff, 0x54, 0x24, 8}, {})));           // *8(%rsp)
  EXPECT_TRUE(follows_indirect_call(site({0xff, 0x14, 0xc5, 0, 0, 0, 0}, {})));  // *(,%rax,8)
  EXPECT_TRUE(follows_indirect_call(site({0xff, 0x15, 1, 2, 3, 4}, {})));        // *(%rip)
  EXPECT_FALSE(follows_indirect_call(site({0xe8, 1, 2, 3, 4}, {})));             // direct
  EXPECT_FALSE(follows_indirect_call(site({0xff, 0xe0}, {})));                   // jmp *%rax
  EXPECT_FALSE(follows_indirect_call(site({0xff, 0x30}, {})));                   // push
}

// The exit system call right after the call, as glibc's and musl's clone make it.
TEST(EntryCode, ExitsTheThread) {
  EXPECT_TRUE(exits_the_thread(site({}, {0x48, 0x89, 0xc7, 0xb8, 60, 0, 0, 0, 0x0f, 0x05})));
  EXPECT_TRUE(exits_the_thread(site({}, {0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05})));
  EXPECT_FALSE(exits_the_thread(site({}, {0x48, 0x89, 0xc7, 0xb8, 39, 0, 0, 0, 0x0f, 0x05})));
  EXPECT_FALSE(exits_the_thread(site({}, {0xc3})));
}

// exit(main()): the result becomes the argument of the call.
TEST(EntryCode, CallWithResult) {
  EXPECT_EQ(call_with_result(site({}, {0x89, 0xc7, 0xe8, 0x10, 0, 0, 0})), 0x1017U);
  EXPECT_EQ(call_with_result(site({}, {0x89, 0xc7, 0xe8, 0xf0, 0xff, 0xff, 0xff})), 0xff7U);
  EXPECT_EQ(call_with_result(site({}, {0xe8, 0x10, 0, 0, 0})), std::nullopt);
}

constexpr std::string_view kProgram = R"(
#include <pthread.h>
static __attribute__((noinline)) int deep(const char *name) { report_stack(name); return 1; }
static void *routine(void *name) { return (void *)(long)deep(name); }
int main(void) {
  int x = deep("main");
  pthread_t thread;
  pthread_create(&thread, 0, routine, "thread");
  pthread_join(thread, 0);
  report_mappings();
  return x - 1;
}
)";

struct Verdict {
  Outcome outcome;
  std::vector<std::string> names;
};

// Compiles kProgram, runs it, and judges the stack it walked under this name.
std::map<std::string, Verdict> verdicts(std::string_view name, std::string_view flags,
                                        std::string_view after = "true") {
  const TempDir dir;
  const std::string path =
      test::compile(dir, name, std::string(test::kReportSource) + std::string(kProgram), flags);
  test::run(std::string(after) + " " + path);
  const test::ProgramReport report = test::run_reporter(path);
  std::map<std::string, Verdict> out;
  for (const auto& [stack, addresses] : report.stacks) {
    Capture capture = test::capture_of(report.mappings);
    test::add_sample(capture, addresses);
    const Profile profile = symbolize(capture);
    out[stack] = {.outcome = profile.samples().outcome[0], .names = test::names_of(profile)};
  }
  return out;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The stacks of this machine's C library, stripped or not: main's root and a thread's are found,
// and named as glibc calls them.
TEST(Root, MainAndThreadsReachTheirRoot) {
  const auto got = verdicts("dynamic", "-pthread");
  ASSERT_TRUE(got.contains("main") && got.contains("thread"));
  EXPECT_EQ(got.at("main").outcome, Outcome::complete);
  EXPECT_TRUE(contains(got.at("main").names, "__libc_start_call_main"));
  EXPECT_TRUE(contains(got.at("main").names, "main"));
  EXPECT_EQ(got.at("thread").outcome, Outcome::complete);
  EXPECT_TRUE(contains(got.at("thread").names, "start_thread"));
  EXPECT_TRUE(contains(got.at("thread").names, "routine"));
}

// The same without the names of the program, in its three forms.
TEST(Root, StrippedProgramsReachTheirRoot) {
  for (const char* flags : {"-pthread -s", "-pthread -s -no-pie"}) {
    const auto got = verdicts("stripped", flags);
    EXPECT_EQ(got.at("main").outcome, Outcome::complete) << flags;
    EXPECT_EQ(got.at("thread").outcome, Outcome::complete) << flags;
  }
  for (const char* flags : {"-pthread -static -s", "-pthread -static-pie -s"}) {
    const auto got = verdicts("static", flags);
    EXPECT_EQ(got.at("main").outcome, Outcome::complete) << flags;
    EXPECT_EQ(got.at("main").names.front(), "__libc_start_call_main") << flags;
  }
}

// A static program with symbols: by name.
TEST(Root, StaticProgramReachesItsRoot) {
  const auto got = verdicts("static", "-pthread -static");
  EXPECT_EQ(got.at("main").outcome, Outcome::complete);
  EXPECT_EQ(got.at("thread").outcome, Outcome::complete);
}

// What calls exit with a function's result elsewhere is no root, with its name or without.
TEST(Root, LookalikesAreNoRoot) {
  for (const char* flags : {"", "-s", "-no-pie -s"}) {
    const TempDir dir;
    const std::string path = test::compile(dir, "lookalike", std::string(test::kReportSource) + R"(
          #include <stdlib.h>
          static int (*volatile inner)(void);
          static __attribute__((noinline)) int leaf(void) {
            report_stack("inner");
            report_mappings();
            return 0;
          }
          __attribute__((noinline)) void lookalike(void) { exit(inner()); }
          int main(void) { inner = leaf; lookalike(); return 0; })",
                                           flags);
    const test::ProgramReport report = test::run_reporter(path);
    // Cut right after the lookalike, as a failed walk would.
    auto stack = report.stacks.at("inner");
    ASSERT_GE(stack.size(), 2U);
    stack.resize(2);
    Capture capture = test::capture_of(report.mappings);
    test::add_sample(capture, stack, {}, 0, Outcome::read_fault);
    const Profile profile = symbolize(capture);
    EXPECT_EQ(profile.samples().outcome[0], Outcome::read_fault) << flags;
    if (*flags == 0) {
      EXPECT_EQ(test::names_of(profile), (std::vector<std::string>{"lookalike", "leaf"}));
    }
  }
}

}  // namespace
}  // namespace perfgap
