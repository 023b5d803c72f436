// Any bytes as an ELF file: its symbols, its unwind bounds, its debug files and its entries.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "symbolizer/debug_file.h"
#include "symbolizer/elf_file.h"
#include "symbolizer/elf_symbols.h"
#include "symbolizer/root.h"
#include "symbolizer/unwind_bounds.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const auto file = perfgap::ElfFile::from_memory({bytes, bytes + size});
  if (!file) return 0;
  const perfgap::ElfSymbols symbols(*file, {});
  const perfgap::UnwindBounds functions(*file);
  perfgap::EntryFinder entries(*file, symbols);
  perfgap::find_debug_files(*file, "/nonexistent/program", "/nonexistent");
  for (const perfgap::ElfSegment& segment : file->segments()) {
    for (std::uint64_t at = 0; at < 512; at += 8) {
      const std::uint64_t address = segment.address + at;
      const auto found = symbols.find(address);
      if (found && (address < found->start || address >= found->end)) abort();
      const auto bounds = functions.find(address);
      if (bounds &&
          (address < bounds->start || address - bounds->start >= bounds->end - bounds->start))
        abort();
      static_cast<void>(entries.is_entry({}, address));
    }
  }
  return 0;
}
