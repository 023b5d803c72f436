#include "symbolizer/elf_symbols.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "model/unique_fd.h"
#include "tests/symbolizer/support.h"

namespace perfgap {
namespace {

using test::TempDir;

// One file with its symbols; the parts refer to each other.
struct Loaded {
  explicit Loaded(const std::string& path) : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    auto opened = ElfFile::open(fd.get());
    EXPECT_TRUE(opened.has_value()) << path;
    if (!opened) return;
    file = std::make_unique<ElfFile>(std::move(*opened));
    symbols = ElfSymbols(*file, {});
  }
  [[nodiscard]] std::string name_at(std::uint64_t address) const {
    const auto found = symbols.find(address);
    return found ? std::string(found->name) : "none";
  }
  [[nodiscard]] std::uint64_t address_of(std::string_view name) const {
    return symbols.addresses_of(std::span(&name, 1))[0].value_or(0);
  }

  UniqueFd fd;
  std::unique_ptr<ElfFile> file;
  ElfSymbols symbols;
};

// Every byte of every sized function that nm lists in the C library is named after one of the
// functions that nm puts there, and the bytes between them after none.
TEST(ElfSymbols, AgreesWithNmOnEveryFunctionOfTheCLibrary) {
  const std::string libc = "/lib/x86_64-linux-gnu/libc.so.6";
  const Loaded loaded(libc);
  struct Function {
    std::uint64_t end;
    std::set<std::string> names;
  };
  std::map<std::uint64_t, Function> functions;
  std::istringstream lines(test::run("nm -D -S --defined-only --without-symbol-versions " + libc));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    std::string type;
    std::string name;
    if (!(words >> std::hex >> start >> size >> type >> name)) continue;
    if (type != "T" && type != "W" && type != "t" && type != "i") continue;
    functions[start].names.insert(name);
    functions[start].end = std::max(functions[start].end, start + size);
  }
  ASSERT_GT(functions.size(), 1000U);
  std::size_t gaps = 0;
  for (auto it = functions.begin(); it != functions.end(); ++it) {
    const auto& [start, function] = *it;
    for (const std::uint64_t address : {start, (start + function.end) / 2, function.end - 1})
      EXPECT_TRUE(function.names.contains(loaded.name_at(address))) << std::hex << address;
    const auto next = std::next(it);
    if (next == functions.end() || next->first <= function.end) continue;
    gaps++;
    EXPECT_EQ(loaded.name_at(function.end), "none") << std::hex << function.end;
    EXPECT_EQ(loaded.name_at(next->first - 1), "none") << std::hex << next->first - 1;
  }
  EXPECT_GT(gaps, 100U);
}

// Padding after a sized function is nobody's; it is not the neighbour's either.
TEST(ElfSymbols, GapBetweenSymbolsHasNoName) {
  const TempDir dir;
  const Loaded loaded(test::compile(dir, "gap", R"(
    __asm__(".text\n.globl first\n.type first,@function\nfirst: ret\n.size first, .-first\n"
            ".skip 100, 0x90\n"
            ".globl second\n.type second,@function\nsecond: ret\n.size second, .-second\n"
            ".skip 16, 0x90\n");
    int main(void) { return 0; })"));
  const std::uint64_t first = loaded.address_of("first");
  ASSERT_NE(first, 0U);
  EXPECT_EQ(loaded.name_at(first), "first");
  EXPECT_EQ(loaded.name_at(first + 1), "none");
  EXPECT_EQ(loaded.name_at(first + 100), "none");
  EXPECT_EQ(loaded.name_at(first + 101), "second");
  EXPECT_EQ(loaded.name_at(first + 102), "none");
}

// A label without size holds the code up to the next symbol, but at most 4096 bytes, and never
// what lies inside a sized function.
TEST(ElfSymbols, LabelWithoutSizeIsBounded) {
  const TempDir dir;
  const Loaded loaded(test::compile(dir, "labels", R"(
    __asm__(".text\n.globl near_label\nnear_label: .skip 10, 0x90\n"
            ".globl sized\n.type sized,@function\nsized: nop\n.globl inner\ninner: nop\n"
            ".skip 8, 0x90\n.size sized, .-sized\n"
            ".globl far_label\nfar_label: .skip 10000, 0x90\n"
            ".globl after\n.type after,@function\nafter: ret\n.size after, .-after\n");
    int main(void) { return 0; })"));
  const std::uint64_t near = loaded.address_of("near_label");
  ASSERT_NE(near, 0U);
  EXPECT_EQ(loaded.name_at(near), "near_label");
  EXPECT_EQ(loaded.name_at(near + 9), "near_label");
  EXPECT_EQ(loaded.name_at(near + 10), "sized");
  EXPECT_EQ(loaded.name_at(near + 11), "sized");
  const std::uint64_t far = loaded.address_of("far_label");
  EXPECT_EQ(loaded.name_at(far + 4095), "far_label");
  EXPECT_EQ(loaded.name_at(far + 4096), "none");
  EXPECT_EQ(loaded.name_at(far + 10000), "after");
}

// Where symbols nest, the one that starts last holds the address, and the outer one resumes.
TEST(ElfSymbols, InnerSymbolWinsAndOuterResumes) {
  const TempDir dir;
  const Loaded loaded(test::compile(dir, "nested", R"(
    __asm__(".text\n.globl outer\n.type outer,@function\nouter: .skip 8, 0x90\n"
            ".globl middle\n.type middle,@function\nmiddle: .skip 8, 0x90\n.size middle, 8\n"
            ".skip 8, 0x90\n.size outer, .-outer\n.skip 16, 0x90\n");
    int main(void) { return 0; })"));
  const std::uint64_t outer = loaded.address_of("outer");
  ASSERT_NE(outer, 0U);
  EXPECT_EQ(loaded.name_at(outer + 7), "outer");
  EXPECT_EQ(loaded.name_at(outer + 8), "middle");
  EXPECT_EQ(loaded.name_at(outer + 15), "middle");
  EXPECT_EQ(loaded.name_at(outer + 16), "outer");
  EXPECT_EQ(loaded.name_at(outer + 23), "outer");
  EXPECT_EQ(loaded.name_at(outer + 24), "none");
}

// Among aliases: not weak, then global, then fewer underscores, then longer.
TEST(ElfSymbols, AliasesAreChosenAsPerfDoes) {
  const TempDir dir;
  const Loaded loaded(test::compile(dir, "aliases", R"(
    #define SYMBOL(scope, name) scope " " name "\n.type " name ",@function\n" name ":\n"
    #define SIZES(a, b) ".size " a ", 1\n.size " b ", 1\n"
    __asm__(".text\n" SYMBOL(".weak", "send_it") SYMBOL(".globl", "__send_it") "ret\n"
            SIZES("send_it", "__send_it") ".skip 15, 0x90\n"
            SYMBOL(".local", "local_name") SYMBOL(".globl", "__global_name") "ret\n"
            SIZES("local_name", "__global_name") ".skip 15, 0x90\n"
            SYMBOL(".globl", "_plain") SYMBOL(".globl", "plain") "ret\n"
            SIZES("_plain", "plain") ".skip 15, 0x90\n"
            SYMBOL(".globl", "short_one") SYMBOL(".globl", "much_longer") "ret\n"
            SIZES("short_one", "much_longer"));
    int main(void) { return 0; })"));
  const std::uint64_t base = loaded.address_of("send_it");
  ASSERT_NE(base, 0U);
  EXPECT_EQ(loaded.name_at(base), "__send_it");
  EXPECT_EQ(loaded.name_at(base + 16), "__global_name");
  EXPECT_EQ(loaded.name_at(base + 32), "plain");
  EXPECT_EQ(loaded.name_at(base + 48), "much_longer");
}

// Data in a code section is no function.
TEST(ElfSymbols, ObjectsInCodeSectionsAreIgnored) {
  const TempDir dir;
  const Loaded loaded(test::compile(dir, "object", R"(
    __asm__(".text\n.globl before\n.type before,@function\nbefore: ret\n.size before, 1\n"
            ".globl table\n.type table,@object\ntable: .skip 64\n.size table, 64\n");
    int main(void) { return 0; })"));
  const std::uint64_t before = loaded.address_of("before");
  ASSERT_NE(before, 0U);
  EXPECT_EQ(loaded.name_at(before), "before");
  EXPECT_EQ(loaded.name_at(before + 1), "none");
}

// A stripped program still has _start, where its header says, for at most 64 bytes.
TEST(ElfSymbols, EntryPointOfAStrippedProgramIsStart) {
  const TempDir dir;
  const std::string path = test::compile(dir, "stripped", "int main(void) { return 0; }", "-s");
  const Loaded loaded(path);
  const std::uint64_t entry = loaded.file->entry_point();
  EXPECT_EQ(loaded.name_at(entry), "_start");
  EXPECT_EQ(loaded.name_at(entry - 1), "none");
  EXPECT_EQ(loaded.name_at(entry + 64), "none");
}

// The build id is the one that readelf prints.
TEST(ElfFile, ReadsTheBuildId) {
  const TempDir dir;
  const Loaded loaded(test::compile(dir, "identified", "int main(void) { return 0; }",
                                    "-Wl,--build-id=0xabcdef0123456789"));
  EXPECT_EQ(loaded.file->build_id(), "abcdef0123456789");
}

// The segment whose file part holds the offset is taken: memory beyond it (bss) is not in the file.
TEST(ElfFile, SegmentsHoldOffsetsByFileSize) {
  const TempDir dir;
  const Loaded loaded(
      test::compile(dir, "bss", "static char big[1 << 20]; int main(void) { return big[9]; }"));
  for (const ElfSegment& segment : loaded.file->segments()) {
    EXPECT_EQ(loaded.file->segment_at_offset(segment.file_offset)->address, segment.address);
    if (segment.memory_size > segment.file_size) {
      const ElfSegment* beyond =
          loaded.file->segment_at_offset(segment.file_offset + segment.file_size);
      EXPECT_TRUE(beyond == nullptr || beyond->address != segment.address);
    }
  }
}

std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void look_around(std::vector<std::byte> image) {
  const auto file = ElfFile::from_memory(std::move(image));
  if (!file) return;
  const ElfSymbols symbols(*file, {});
  for (const ElfSegment& segment : file->segments()) {
    for (std::uint64_t at = 0; at < 4096; at += 16) {
      if (const auto found = symbols.find(segment.address + at)) {
        EXPECT_LE(found->start, segment.address + at);
        EXPECT_GT(found->end, segment.address + at);
      }
    }
  }
}

// A file cut anywhere, or with any of its bytes changed, costs names and nothing else.
TEST(ElfSymbols, DamagedFilesAreHarmless) {
  const TempDir dir;
  const auto whole = bytes_of(test::compile(dir, "whole", "int main(void) { return 0; }"));
  for (std::size_t size = 0; size < whole.size(); size += 97)
    look_around({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});

  std::mt19937 random(1);
  for (int round = 0; round < 2000; round++) {
    std::vector<std::byte> damaged = whole;
    for (int change = 0; change < 8; change++) {
      // Half the changes hit the headers, where the structure is.
      const std::size_t limit = change % 2 == 0 ? std::size_t{1024} : damaged.size();
      const std::size_t from = change % 4 == 0 ? damaged.size() - limit : 0;
      damaged[from + random() % limit] = static_cast<std::byte>(random());
    }
    look_around(std::move(damaged));
  }
}

// A symbol whose name lies outside the string table has no name.
TEST(ElfSymbols, NameOutsideTheStringTableIsNone) {
  const TempDir dir;
  const std::string path = test::compile(dir, "whole", "int main(void) { return 0; }");
  auto image = bytes_of(path);
  const std::uint64_t main_address = Loaded(path).address_of("main");
  ASSERT_NE(main_address, 0U);
  for (std::size_t at = 8; at + 16 <= image.size(); at += 4) {
    std::uint64_t value = 0;
    std::memcpy(&value, image.data() + at, 8);
    // st_value of Elf64_Sym, 8 bytes after st_name; st_info says global function.
    if (value != main_address || image[at - 4] != std::byte{0x12}) continue;
    const std::uint32_t outside = 0xfffffff0;
    std::memcpy(image.data() + at - 8, &outside, 4);
  }
  const auto file = ElfFile::from_memory(std::move(image));
  ASSERT_TRUE(file.has_value());
  const ElfSymbols symbols(*file, {});
  EXPECT_FALSE(symbols.find(main_address).has_value());
}

// What is no ELF file says so.
TEST(ElfFile, RefusesOtherFiles) {
  EXPECT_EQ(ElfFile::from_memory({}).error().message, "not a 64-bit ELF file");
  EXPECT_EQ(ElfFile::from_memory(std::vector<std::byte>(4096)).error().message,
            "not a 64-bit ELF file");
}

}  // namespace
}  // namespace perfgap
