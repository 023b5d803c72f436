#include "symbolizer/kernel_symbols.h"

#include <gtest/gtest.h>

#include "symbolizer/symbolize.h"
#include "tests/symbolizer/support.h"

namespace perfgap {
namespace {

std::string data_path(std::string_view name) {
  return std::string(PERFGAP_SOURCE_DIR "/tests/symbolizer/data/").append(name);
}

std::string name_at(const KernelSymbols& symbols, std::uint64_t address) {
  const auto found = symbols.find(address);
  return found ? std::string(found->name) + std::string(found->module) : "none";
}

// A symbol reaches to the next one; data ends it but names nothing.
TEST(KernelSymbols, SymbolReachesToTheNext) {
  const KernelSymbols symbols = KernelSymbols::load(data_path("kallsyms"));
  EXPECT_EQ(name_at(symbols, 0xffffffff80ffffff), "none");
  EXPECT_EQ(name_at(symbols, 0xffffffff81000300), "do_syscall_64");
  EXPECT_EQ(name_at(symbols, 0xffffffff810003ff), "do_syscall_64");
  EXPECT_EQ(name_at(symbols, 0xffffffff81000400), "none");
  EXPECT_EQ(name_at(symbols, 0xffffffff81000500), "after_data");  // listed before data
  EXPECT_EQ(name_at(symbols, 0xffffffff81000600), "after_data");  // no code begins at a constant
}

// Of aliases the last listed counts, as in perf, but code before data.
TEST(KernelSymbols, LastAliasCounts) {
  const KernelSymbols symbols = KernelSymbols::load(data_path("kallsyms"));
  EXPECT_EQ(name_at(symbols, 0xffffffff81000000), "_text");
  EXPECT_EQ(name_at(symbols, 0xffffffff81000200), "local_alias");
}

// Modules and BPF programs are named with where they are from; the last symbol of each, and of the
// kernel, ends with the page after its own.
TEST(KernelSymbols, ModulesAndBpfPrograms) {
  const KernelSymbols symbols = KernelSymbols::load(data_path("kallsyms"));
  EXPECT_EQ(name_at(symbols, 0xffffffffc0201010), "drv_poll[netdrv]");
  EXPECT_EQ(name_at(symbols, 0xffffffffc0202fff), "drv_xmit[netdrv]");
  EXPECT_EQ(name_at(symbols, 0xffffffffc0203000), "none");
  EXPECT_EQ(name_at(symbols, 0xffffffff81001fff), "_etext");
  EXPECT_EQ(name_at(symbols, 0xffffffff81002000), "none");
  EXPECT_EQ(name_at(symbols, 0xffffffffc03000ff), "bpf_prog_6deef7357e7b4530_count[bpf]");
}

// An all-zero list names nothing, neither with its first symbol nor with its last.
TEST(KernelSymbols, HiddenListNamesNothing) {
  const KernelSymbols symbols = KernelSymbols::load(data_path("kallsyms_hidden"));
  EXPECT_TRUE(symbols.hidden());
  EXPECT_EQ(name_at(symbols, 0xffffffff81000000), "none");
  EXPECT_EQ(name_at(symbols, 0), "none");
  EXPECT_FALSE(KernelSymbols::load(data_path("kallsyms")).hidden());
  EXPECT_FALSE(KernelSymbols::load("/nonexistent").hidden());
}

// Hidden symbols leave kernel frames unnamed in [kernel], and a note says why and what to do.
TEST(Symbolize, HiddenKernelSymbolsAreSaid) {
  Capture capture = test::capture_of({});
  test::add_sample(capture, {}, {0xffffffff81000310, 0xffffffff81000520});
  const Profile profile = symbolize(capture, {.kallsyms_path = data_path("kallsyms_hidden")});
  EXPECT_EQ(test::names_of(profile), (std::vector<std::string>{"[kernel]+0xffffffff8100051f",
                                                               "[kernel]+0xffffffff81000310"}));
  EXPECT_EQ(profile.run.notes,
            std::vector<std::string>{"kernel symbols are hidden (kptr_restrict): run as root or "
                                     "set kernel.kptr_restrict=0"});
}

// Kernel frames: the leaf is looked up as it is, callers one byte before; modules are modules.
TEST(Symbolize, KernelFrames) {
  Capture capture = test::capture_of({});
  test::add_sample(capture, {}, {0xffffffffc0201080, 0xffffffff81000400, 0xffffffff81000110});
  const Profile profile = symbolize(capture, {.kallsyms_path = data_path("kallsyms")});
  EXPECT_EQ(test::names_of(profile),
            (std::vector<std::string>{"helper", "do_syscall_64", "drv_xmit"}));
  const Frame& leaf = test::frame_of(profile);
  EXPECT_EQ(leaf.kind, FrameKind::kernel);
  EXPECT_EQ(test::module_of(profile, leaf), "[netdrv]");
  EXPECT_EQ(test::module_of(profile, test::frame_of(profile, 0, 1)), "[kernel]");
  const Function& helper = profile.function(test::frame_of(profile, 0, 2).function);
  EXPECT_EQ(profile.text(helper.system_name), "helper.constprop.0");
  EXPECT_TRUE(profile.run.notes.empty());
}

}  // namespace
}  // namespace perfgap
