#include "symbolizer/symbolize.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <elf.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/symbolizer/support.h"

namespace perfgap {
namespace {

using test::TempDir;
using Names = std::vector<std::string>;

constexpr std::string_view kThreeFunctions = R"(
  #define FUNCTION(name) __attribute__((noinline)) int name(int x) { __asm__(""); return x + 1; }
  FUNCTION(first) FUNCTION(second) FUNCTION(third)
  int main(void) {
    report_address("first", first); report_address("second", second);
    report_address("third", third); report_address("main", main);
    report_mappings();
    return 0;
  })";

std::string three_functions(const TempDir& dir, std::string_view flags) {
  return test::compile(dir, "three",
                       std::string(test::kReportSource) + std::string(kThreeFunctions), flags);
}

void expect_own_names(const std::string& program) {
  const test::ProgramReport report = test::run_reporter(program);
  ASSERT_EQ(report.addresses.size(), 4U);
  std::map<std::string, std::uint64_t> linked;  // the file's own addresses, by nm
  std::istringstream lines(test::run("nm --defined-only " + program));
  for (std::string address, type, name; lines >> address >> type >> name;) {
    if (type == "T") linked[name] = std::stoull(address, nullptr, 16);
  }
  for (const auto& [name, address] : report.addresses) {
    Capture capture = test::capture_of(report.mappings);
    test::add_sample(capture, {address});
    const Profile profile = symbolize(capture);
    EXPECT_EQ(test::names_of(profile), Names{name}) << program;
    const Frame& frame = test::frame_of(profile);
    EXPECT_EQ(test::module_of(profile, frame), program);
    EXPECT_EQ(frame.kind, FrameKind::native);
    EXPECT_EQ(frame.address, linked.at(name));
  }
}

// However a program is linked, its running code has the names of its file.
TEST(Symbolize, LoadBiasOfEveryKindOfProgram) {
  for (const char* flags : {"-pie", "-no-pie", "-static", "-static-pie", "-Wl,-z,separate-code",
                            "-Wl,-z,noseparate-code", "-Wl,-Ttext-segment=0x70000000 -no-pie"}) {
    SCOPED_TRACE(flags);
    const TempDir dir;
    expect_own_names(three_functions(dir, flags));
  }
}

// Several executable segments, each at its own distance from its place in the file, as BOLT and
// linker scripts make them.
TEST(Symbolize, LoadBiasOfSeveralSegments) {
  const TempDir dir;
  const std::string source = std::string(test::kReportSource) + R"(
    #define FUNCTION(name) \
      __attribute__((noinline, section(#name "_code"))) int name(int x) { return x + 1; }
    FUNCTION(first) FUNCTION(second) FUNCTION(third)
    int main(void) {
      report_address("first", first); report_address("second", second);
      report_address("third", third); report_address("main", main);
      report_mappings();
      return 0;
    })";
  const std::string program = test::compile(dir, "segments", source,
                                            "-no-pie -Wl,--section-start=first_code=0x10000000"
                                            " -Wl,--section-start=second_code=0x20005000"
                                            " -Wl,--section-start=third_code=0x30123000");
  const std::string headers = test::run("readelf -lW " + program + " | grep 'LOAD.*R E'");
  ASSERT_GE(std::ranges::count(headers, '\n'), 4) << headers;
  expect_own_names(program);
}

// The same code mapped a second time elsewhere, as V8 does with its embedded builtins, has the same
// names and the same addresses: its own file offset counts.
TEST(Symbolize, SecondMappingOfTheSameCode) {
  const TempDir dir;
  const test::ProgramReport report = test::run_reporter(three_functions(dir, "-pie"));
  const std::uint64_t second = report.addresses.at("second");
  const auto code = std::ranges::find_if(report.mappings, [&](const CapturedMapping& mapping) {
    return mapping.start <= second && second < mapping.end;
  });
  ASSERT_NE(code, report.mappings.end());
  CapturedMapping copy = *code;
  copy.start = 0x123400000000;
  copy.end = copy.start + (code->end - code->start);
  auto mappings = report.mappings;
  mappings.push_back({.start = 0x123300000000, .end = 0x123500000000, .name = "//anon"});
  mappings.push_back(copy);

  Capture capture = test::capture_of(mappings);
  test::add_sample(capture, {second});
  test::add_sample(capture, {copy.start + (second - code->start)});
  const Profile profile = symbolize(capture);
  ASSERT_EQ(profile.samples().size(), 1U);  // the two are one stack
  EXPECT_EQ(test::names_of(profile), Names{"second"});
  EXPECT_EQ(profile.samples().values[0][0], 2);
}

// Symbols of V8's embedded code are builtins.
TEST(Symbolize, EmbeddedBuiltinsAreBuiltins) {
  const TempDir dir;
  const std::string program = test::compile(dir, "node", std::string(test::kReportSource) + R"(
        int Builtins_RunMicrotasks(void) { return 1; }
        int main(void) { report_address("it", Builtins_RunMicrotasks); report_mappings(); })");
  const test::ProgramReport report = test::run_reporter(program);
  // In the anonymous copy the perf map names it, in the file the symbol does: one function.
  Capture capture = test::capture_of(report.mappings, "550000000000 100 Builtin:RunMicrotasks\n");
  test::add_sample(capture, {report.addresses.at("it")}, {}, 0);
  test::add_sample(capture, {0x550000000010}, {}, 20'000'000);
  const Profile profile = symbolize(capture);
  ASSERT_EQ(profile.samples().size(), 2U);
  const Frame& in_map = test::frame_of(profile, 0);
  const Frame& in_file = test::frame_of(profile, 1);
  EXPECT_EQ(in_map.kind, FrameKind::builtin);
  EXPECT_EQ(in_file.kind, FrameKind::builtin);
  EXPECT_EQ(in_map.function, in_file.function);
  EXPECT_EQ(test::name_of(profile, in_file), "Builtins_RunMicrotasks");
}

// The leaf is where it is; a caller is looked up one byte before its return address, so that a call
// that ends a function does not name the next one.
TEST(Symbolize, CallersAreLookedUpBeforeTheirReturnAddress) {
  const TempDir dir;
  const std::string program = test::compile(dir, "callers", std::string(test::kReportSource) + R"(
        void before(void); void after(void);
        __asm__(".globl before\n.type before,@function\nbefore: nop\nnop\n.size before, 2\n"
                ".globl after\n.type after,@function\nafter: nop\nnop\n.size after, 2\n");
        int main(void) { report_address("after", after); report_mappings(); return 0; })");
  const test::ProgramReport report = test::run_reporter(program);
  const std::uint64_t after = report.addresses.at("after");
  Capture capture = test::capture_of(report.mappings);
  test::add_sample(capture, {after, after});
  const Profile profile = symbolize(capture);
  EXPECT_EQ(test::names_of(profile), (Names{"before", "after"}));
  EXPECT_EQ(test::frame_of(profile, 0, 1).address + 1, test::frame_of(profile, 0, 0).address);
}

// vDSO code is named from its bytes.
TEST(Symbolize, VdsoIsNamedFromItsBytes) {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(getauxval(AT_SYSINFO_EHDR));
  ASSERT_NE(header, nullptr);
  const std::size_t size = header->e_shoff + std::size_t{header->e_shnum} * header->e_shentsize;
  const auto* bytes = reinterpret_cast<const std::byte*>(header);
  const TempDir dir;
  test::write_file(dir.path("vdso"), {reinterpret_cast<const char*>(bytes), size});
  const std::string value = test::run("nm -D --without-symbol-versions " + dir.path("vdso") +
                                      " | sed -n 's/ T __vdso_clock_gettime$//p'");

  const std::uint64_t start = 0x7ffff7fc0000;
  Capture capture = test::capture_of({{.start = start, .end = start + 0x2000, .name = "[vdso]"}});
  capture.processes[0].images[0].vdso.assign(bytes, bytes + size);
  test::add_sample(capture, {start + std::stoull(value, nullptr, 16) + 4});
  const Profile profile = symbolize(capture);
  EXPECT_EQ(test::names_of(profile), Names{"__vdso_clock_gettime"});
  EXPECT_EQ(test::module_of(profile, test::frame_of(profile)), "[vdso]");
}

// JIT code is named by the perf map, and only outside mapped files; without an entry it stays
// module and address.
TEST(Symbolize, JitCode) {
  const TempDir dir;
  const test::ProgramReport report = test::run_reporter(three_functions(dir, "-no-pie"));
  auto mappings = report.mappings;
  mappings.push_back({.start = 0x7f0000000000, .end = 0x7f0000100000, .name = ""});
  Capture capture = test::capture_of(
      mappings,
      fmt::format("7f0000000000 100 JS:*'render file:///srv/app.mjs:7:3\n{:x} 1000 JS:*lie a:1:1\n",
                  report.addresses.at("first")));
  test::add_sample(capture, {0x7f0000000010}, {}, 0);
  test::add_sample(capture, {0x7f0000000200}, {}, 20'000'000);
  test::add_sample(capture, {report.addresses.at("first")}, {}, 40'000'000);
  const Profile profile = symbolize(capture);
  std::map<std::uint32_t, Frame> by_time;
  for (std::size_t i = 0; i < 3; i++)
    by_time[profile.samples().time_ms[i]] = test::frame_of(profile, i);

  const Frame& jit = by_time.at(0);
  EXPECT_EQ(test::name_of(profile, jit), "render");
  EXPECT_EQ(test::module_of(profile, jit), "[jit]");
  EXPECT_EQ(jit.kind, FrameKind::jit);
  EXPECT_EQ(jit.tier, Tier::optimised);
  EXPECT_EQ(jit.address, 0x7f0000000010U);
  const Function& function = profile.function(jit.function);
  EXPECT_EQ(profile.text(function.file), "/srv/app.mjs");
  EXPECT_EQ(function.start_line, 7U);
  EXPECT_EQ(profile.text(function.system_name), "JS:render file:///srv/app.mjs:7:3");

  const Frame& unnamed = by_time.at(20);
  EXPECT_TRUE(unnamed.function.is_none());
  EXPECT_EQ(test::module_of(profile, unnamed), "[anonymous]");
  EXPECT_EQ(test::name_of(profile, by_time.at(40)), "first");
}

// One JavaScript function in three tiers is one function in three frames.
TEST(Symbolize, TiersAreOneFunction) {
  Capture capture = test::capture_of({{.start = 0x1000, .end = 0x9000, .name = ""}},
                                     "1000 10 JS:~f /a.js:1:1\n2000 10 JS:^f /a.js:1:1\n"
                                     "3000 10 JS:*'f /a.js:1:1\n");
  test::add_sample(capture, {0x1000, 0x2001, 0x3001});
  const Profile profile = symbolize(capture);
  EXPECT_EQ(test::names_of(profile), (Names{"f", "f", "f"}));
  EXPECT_EQ(test::frame_of(profile, 0, 0).kind, FrameKind::interpreted);
  EXPECT_EQ(test::frame_of(profile, 0, 1).tier, Tier::baseline);
  EXPECT_EQ(test::frame_of(profile, 0, 2).tier, Tier::optimised);
  EXPECT_EQ(profile.function_count(), 2U);  // none, and f
}

// A file that is no program (shared memory that a JIT compiler maps twice) leaves the name to the
// perf map.
TEST(Symbolize, SharedMemoryFileIsJitMemory) {
  const int fd = memfd_create("doublemapper", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(fd, 8192), 0);
  auto file = std::make_shared<CapturedFile>();
  file->path = "/memfd:doublemapper";
  file->fd = UniqueFd(fd);
  file->inode = 1;
  Capture capture = test::capture_of(
      {{.start = 0x1000, .end = 0x3000, .name = "/memfd:doublemapper (deleted)", .file = file}},
      "1000 100 compiled\n");
  test::add_sample(capture, {0x1000, 0x2001});
  const Profile profile = symbolize(capture);
  EXPECT_EQ(test::names_of(profile), (Names{"memfd:doublemapper+0x1000", "compiled"}));
  EXPECT_TRUE(profile.run.notes.empty());
}

// What is wrong with a perf map, or uncertain about its names, is said once.
TEST(Symbolize, PerfMapNotes) {
  Capture capture = test::capture_of({{.start = 0x1000, .end = 0x9000, .name = ""}},
                                     "oops\n1000 10 old\n1000 10 new\n2000 10 only\n");
  test::add_sample(capture, {0x1000, 0x2001});
  test::add_sample(capture, {0x1000});
  const Profile profile = symbolize(capture);
  EXPECT_EQ(profile.run.notes,
            (Names{"perf map of pid 42: 1 of 4 lines are not \"START SIZE name\"",
                   "perf map of pid 42: 1 sampled address was reused; named by the last entry"}));
}

// A file that cannot be read keeps its name and the place in it, and the reader is told why.
TEST(Symbolize, UnreadableFile) {
  auto file = std::make_shared<CapturedFile>();
  file->path = "/usr/bin/secret";
  file->inode = 5;
  file->open_error = "Permission denied";
  Capture capture = test::capture_of(
      {{.start = 0x400000, .end = 0x500000, .file_offset = 0x1000, .name = "", .file = file}});
  test::add_sample(capture, {0x400010});
  test::add_sample(capture, {0x400020});
  const Profile profile = symbolize(capture);
  EXPECT_EQ(test::names_of(profile), Names{"secret+0x1010"});
  EXPECT_EQ(profile.run.notes, Names{"/usr/bin/secret: cannot be read (Permission denied); its "
                                     "functions have no names"});
}

// Samples before an exec are named from the old program, samples after it from the new one, though
// both lie at the same addresses.
TEST(Symbolize, ExecChangesTheImage) {
  Capture capture =
      test::capture_of({{.start = 0x1000, .end = 0x2000, .name = ""}}, "1000 1000 phase_one\n");
  CapturedImage second = {.begin_ns = 100'000'000, .comm = "phase2"};
  second.mappings = {{.start = 0x1000, .end = 0x2000, .time_ns = 100'000'000, .name = ""}};
  second.perf_map = "1000 1000 phase_two\n";
  capture.processes[0].images.push_back(std::move(second));
  test::add_sample(capture, {0x1800}, {}, 100'000'000);
  test::add_sample(capture, {0x1800}, {}, 99'999'999);
  const Profile profile = symbolize(capture);
  ASSERT_EQ(profile.samples().size(), 2U);
  std::map<std::string, std::string> comm_of;
  for (std::size_t i = 0; i < 2; i++)
    comm_of[test::names_of(profile, i)[0]] =
        profile.text(profile.thread(profile.samples().thread[i]).comm);
  EXPECT_EQ(comm_of, (std::map<std::string, std::string>{{"phase_one", "program"},
                                                         {"phase_two", "phase2"}}));
}

// A library that replaced another at the same address names only what was sampled after it came.
TEST(Symbolize, LaterMappingNamesLaterSamples) {
  const TempDir dir;
  const auto library = [&](const std::string& function) {
    const std::string path =
        test::compile(dir, function + ".so", "int " + function + "(void) { return 1; }",
                      "-shared -fPIC -nostdlib -Wl,-z,noseparate-code -Wl,--build-id=none");
    return test::open_captured(path);
  };
  const auto one = library("one_");
  const auto two = library("two_");
  const std::string value = test::run("nm " + one->path + " | sed -n 's/ T one_$//p'");
  const std::uint64_t base = 0x7f0000000000;
  const std::uint64_t address = base + std::stoull(value, nullptr, 16);
  Capture capture = test::capture_of(
      {{.start = base, .end = base + 0x1000, .time_ns = 0, .name = "", .file = one},
       {.start = base, .end = base + 0x1000, .time_ns = 500, .name = "", .file = two}});
  test::add_sample(capture, {address}, {}, 499);
  test::add_sample(capture, {address}, {}, 500);
  const Profile profile = symbolize(capture);
  ASSERT_EQ(profile.samples().size(), 2U);
  Names names = {test::names_of(profile, 0)[0], test::names_of(profile, 1)[0]};
  std::ranges::sort(names);
  EXPECT_EQ(names, (Names{"one_", "two_"}));
}

// Frames beyond an address that is no code are dropped; user frames lie below the kernel's.
TEST(Symbolize, StackIsCutAtGarbageAndKernelLiesOnTop) {
  Capture capture = test::capture_of({{.start = 0x1000, .end = 0x2000, .name = ""}},
                                     "1000 100 leaf\n1100 100 caller\n");
  test::add_sample(capture, {0x1000, 0x1101, 0xdead0000, 0x1101}, {0xffffffff81000000}, 0,
                   Outcome::too_deep);
  const Profile profile =
      symbolize(capture, {.kallsyms_path = PERFGAP_SOURCE_DIR "/tests/symbolizer/data/kallsyms"});
  EXPECT_EQ(test::names_of(profile), (Names{"caller", "leaf", "_text"}));
  EXPECT_EQ(profile.samples().outcome[0], Outcome::bad_frame_pointer);
}

// Time is in steps of 10 ms since the start of the window; equal samples are one with their sum;
// thread and process names are both kept; the run's facts are carried over.
TEST(Symbolize, SamplesAreMerged) {
  Capture capture = test::capture_of({{.start = 0x1000, .end = 0x2000, .name = ""}});
  capture.start_ns = 1'000'000'000;
  capture.run.tool_version = "1";
  for (const std::uint64_t ns : {0, 9'999'999, 10'000'000, 25'000'000})
    test::add_sample(capture, {0x1000}, {}, capture.start_ns + ns);
  test::add_sample(capture, {0x1000}, {}, 5);
  const Profile profile = symbolize(capture);
  const SampleColumns& samples = profile.samples();
  EXPECT_EQ(samples.time_ms, (std::vector<std::uint32_t>{0, 10, 20}));
  EXPECT_EQ(samples.values[0], (std::vector<std::int64_t>{3, 1, 1}));
  EXPECT_EQ(profile.total(1), 5);
  EXPECT_EQ(profile.period, 2'000'000);
  EXPECT_EQ(profile.run.tool_version, "1");
  EXPECT_EQ(profile.text(profile.value_types()[1].type), "cpu");
  const Thread& thread = profile.thread(samples.thread[0]);
  EXPECT_EQ(thread.pid, 42U);
  EXPECT_EQ(thread.tid, 43U);
  EXPECT_EQ(profile.text(thread.comm), "program");
  EXPECT_EQ(profile.text(thread.name), "thread");
}

}  // namespace
}  // namespace perfgap
