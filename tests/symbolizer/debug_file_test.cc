#include "symbolizer/debug_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <sys/stat.h>

#include <fstream>

#include "symbolizer/symbolize.h"
#include "tests/symbolizer/support.h"

namespace perfgap {
namespace {

using test::TempDir;

constexpr std::string_view kSource =
    "static __attribute__((noinline)) int local_hot(int x) { __asm__(\"\"); return x * 3; }\n"
    "int main(int argc, char **argv) { return local_hot(argc); }";

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string pack_xz(const std::string& text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                text.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

// A program with its symbols in `full`, and copies that lost them in different ways.
struct Forms {
  TempDir dir;
  std::string full = test::compile(dir, "full", kSource, "-g -no-pie");
  std::uint64_t local_hot =
      std::stoull(test::run("nm " + full + " | sed -n 's/ t local_hot//p'"), nullptr, 16);

  [[nodiscard]] std::string stripped(const std::string& name) const {
    test::run("strip -o " + dir.path(name) + " " + full);
    return dir.path(name);
  }
};

// What symbolize() calls the function at a linked address of a program, and what it notes.
struct Answer {
  std::string name;
  std::vector<std::string> notes;
};
Answer ask(const std::string& program, std::uint64_t address) {
  Capture capture = test::capture_of({{.start = 0x400000,
                                       .end = 0x500000,
                                       .name = program,
                                       .file = test::open_captured(program)}});
  test::add_sample(capture, {address + 1});
  const Profile profile = symbolize(capture);
  return {.name = test::names_of(profile).back(), .notes = profile.run.notes};
}

// Stripped: module and offset, not the neighbouring symbol (_init, _start, main).
TEST(DebugFile, StrippedProgramHasNoNames) {
  const Forms forms;
  EXPECT_EQ(ask(forms.full, forms.local_hot).name, "local_hot");
  const std::string stripped = forms.stripped("stripped");
  EXPECT_TRUE(ask(stripped, forms.local_hot).name.starts_with("stripped+0x"));
}

// Mini debug info: an xz-packed ELF file in .gnu_debugdata.
TEST(DebugFile, MiniDebugInfoIsRead) {
  const Forms forms;
  const std::string mini = forms.stripped("mini");
  test::run("objcopy --only-keep-debug " + forms.full + " " + forms.dir.path("symbols"));
  test::write_file(forms.dir.path("symbols.xz"), pack_xz(read_all(forms.dir.path("symbols"))));
  test::run("objcopy --add-section .gnu_debugdata=" + forms.dir.path("symbols.xz") + " " + mini);
  const Answer answer = ask(mini, forms.local_hot);
  EXPECT_EQ(answer.name, "local_hot");
  EXPECT_TRUE(answer.notes.empty());
}

// Mini debug info that does not unpack costs the names and says so.
TEST(DebugFile, CorruptMiniDebugInfoIsSaid) {
  const Forms forms;
  const std::string mini = forms.stripped("mini");
  test::write_file(forms.dir.path("junk"), pack_xz(std::string(5000, 'x')).substr(0, 60));
  test::run("objcopy --add-section .gnu_debugdata=" + forms.dir.path("junk") + " " + mini);
  const Answer answer = ask(mini, forms.local_hot);
  EXPECT_TRUE(answer.name.starts_with("mini+0x"));
  ASSERT_EQ(answer.notes.size(), 1U);
  EXPECT_EQ(answer.notes[0], mini + ": its mini debug info is unusable: it cannot be unpacked");
}

// A debug link is followed beside the program and in .debug, if the checksum is right.
TEST(DebugFile, DebugLinkIsFollowed) {
  const Forms forms;
  const std::string linked = forms.stripped("linked");
  mkdir(forms.dir.path(".debug").c_str(), 0755);
  const std::string debug = forms.dir.path(".debug/linked.debug");
  test::run("objcopy --only-keep-debug " + forms.full + " " + debug);
  test::run("objcopy --add-gnu-debuglink=" + debug + " " + linked);
  EXPECT_EQ(ask(linked, forms.local_hot).name, "local_hot");
}

// A file of the right name with other content is not used, and the reader is told.
TEST(DebugFile, MismatchedDebugFileIsRefused) {
  const Forms forms;
  const std::string program = forms.stripped("mismatch");
  const std::string debug = forms.dir.path("mismatch.debug");
  test::run("objcopy --only-keep-debug " + forms.full + " " + debug);
  test::run("objcopy --add-gnu-debuglink=" + debug + " " + program);
  const std::string other = test::compile(
      forms.dir, "other", std::string("void padding(void) {}\n") + std::string(kSource), "-g");
  test::run("objcopy --only-keep-debug " + other + " " + debug);
  const Answer answer = ask(program, forms.local_hot);
  EXPECT_TRUE(answer.name.starts_with("mismatch+0x")) << answer.name;
  EXPECT_EQ(answer.notes,
            std::vector<std::string>{program + ": debug file " + debug + " does not match"});
}

// By build id: the file must carry the same one.
TEST(DebugFile, BuildIdMustAgree) {
  const TempDir dir;
  const std::string full = test::compile(dir, "full", kSource, "-g -Wl,--build-id=0xab01020304");
  const std::string stripped = dir.path("stripped");
  test::run("strip -o " + stripped + " " + full);
  test::run("mkdir -p " + dir.path("root/.build-id/ab"));
  const std::string debug = dir.path("root/.build-id/ab/01020304.debug");
  test::run("objcopy --only-keep-debug " + full + " " + debug);
  const UniqueFd fd(open(stripped.c_str(), O_RDONLY | O_CLOEXEC));
  const auto file = ElfFile::open(fd.get());
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(find_debug_files(*file, stripped, dir.path("root")).files.size(), 1U);

  const std::string other = test::compile(dir, "other", kSource, "-g -Wl,--build-id=0xab99999999");
  test::run("objcopy --only-keep-debug " + other + " " + debug);
  const DebugFiles refused = find_debug_files(*file, stripped, dir.path("root"));
  EXPECT_TRUE(refused.files.empty());
  EXPECT_EQ(refused.problems, std::vector<std::string>{"debug file " + debug + " does not match"});
}

// Only regular files are opened: a fifo of the link's name would block for ever.
TEST(DebugFile, FifoIsNotOpened) {
  const Forms forms;
  const std::string program = forms.stripped("fifo");
  const std::string debug = forms.dir.path("fifo.debug");
  test::run("objcopy --only-keep-debug " + forms.full + " " + debug);
  test::run("objcopy --add-gnu-debuglink=" + debug + " " + program);
  test::run("rm " + debug + " && mkfifo " + debug);
  EXPECT_TRUE(ask(program, forms.local_hot).name.starts_with("fifo+0x"));
}

}  // namespace
}  // namespace perfgap
