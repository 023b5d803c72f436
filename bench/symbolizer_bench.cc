// How long names take: loading the symbols of large programs, looking addresses up, reading a perf
// map, demangling.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "model/unique_fd.h"
#include "symbolizer/demangle.h"
#include "symbolizer/elf_file.h"
#include "symbolizer/elf_symbols.h"
#include "symbolizer/kernel_symbols.h"
#include "symbolizer/perf_map.h"

namespace perfgap {
namespace {

// The largest shared library among those that every build of this project has.
std::string large_library() {
  std::string best = "/proc/self/exe";
  std::uintmax_t best_size = 0;
  for (const char* folder : {"/usr/lib/llvm-19/lib", "/usr/lib/x86_64-linux-gnu"}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename();
      if (name.find(".so") == std::string::npos || !entry.is_regular_file(error)) continue;
      if (entry.file_size(error) <= best_size) continue;
      best_size = entry.file_size(error);
      best = entry.path();
    }
  }
  return best;
}

void load_symbols(benchmark::State& state) {
  const std::string path = large_library();
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::size_t count = 0;
  for (auto _ : state) {
    const auto file = ElfFile::open(fd.get());
    const ElfSymbols symbols(*file, {});
    count = symbols.size();
    benchmark::DoNotOptimize(symbols);
  }
  state.SetLabel(fmt::format("{}: {} symbols", path, count));
}
BENCHMARK(load_symbols)->Unit(benchmark::kMillisecond);

void find_symbol(benchmark::State& state) {
  const UniqueFd fd(open(large_library().c_str(), O_RDONLY | O_CLOEXEC));
  const auto file = ElfFile::open(fd.get());
  const ElfSymbols symbols(*file, {});
  std::mt19937_64 random(1);
  const ElfSegment* code = nullptr;
  for (const ElfSegment& segment : file->segments()) {
    if (segment.executable) code = &segment;
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(symbols.find(code->address + random() % code->file_size));
}
BENCHMARK(find_symbol);

void read_perf_map(benchmark::State& state) {
  const auto lines = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 random(1);
  std::string text;
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < lines; i++) {
    const std::uint64_t start = 0x7f0000000000 + random() % (lines * 256) / 64 * 64;
    text += fmt::format("{:x} {:x} JS:*'function{} file:///srv/app/routes/users.js:{}:18\n", start,
                        64 + random() % 2048, i, i % 500);
    if (i % 100 == 0) addresses.push_back(start + random() % 2048);
  }
  std::ranges::sort(addresses);
  addresses.erase(std::ranges::unique(addresses).begin(), addresses.end());
  for (auto _ : state) {
    const PerfMap map(text, addresses);
    benchmark::DoNotOptimize(map.lines());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(read_perf_map)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void load_kernel_symbols(benchmark::State& state) {
  std::size_t count = 0;
  for (auto _ : state) {
    const KernelSymbols symbols = KernelSymbols::load("/proc/kallsyms");
    count += symbols.empty() ? 0 : 1;
  }
  benchmark::DoNotOptimize(count);
}
BENCHMARK(load_kernel_symbols)->Unit(benchmark::kMillisecond);

void demangle(benchmark::State& state) {
  constexpr std::string_view kNames[] = {
      "_ZN2v88internal4Heap14CollectGarbageENS0_15AllocationSpaceENS0_23GarbageCollectionReasonE",
      "_ZNSt8_Rb_treeIPN4node11http_parser6ParserES3_St9_IdentityIS3_ENS1_16ParserComparatorE"
      "SaIS3_EE11equal_rangeERKS3_",
      "_RNvXs_Cs4fqI2P2rA04_3appNtB4_6ServerNtB4_7Handler6handle",
      "_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE"};
  for (auto _ : state) {
    for (const std::string_view name : kNames) benchmark::DoNotOptimize(readable_name(name));
  }
}
BENCHMARK(demangle);

}  // namespace
}  // namespace perfgap
