// The function symbols of one ELF file: which symbol holds an address.
//
// Sizes are respected: an address between two symbols belongs to neither. Rules, in order:
// - Functions and untyped labels (FUNC, IFUNC, NOTYPE) of executable sections count, nothing else.
// - Where sized symbols overlap, the one that starts last holds the address.
// - Of several symbols at one address the best alias holds it, chosen as perf does: not weak,
//   global, fewer leading underscores, longer; then the first in byte order.
// - A symbol of size 0 (hand-written assembly) holds what no sized symbol does, up to the next
//   symbol, the end of its section, or 4096 bytes, whichever comes first.
// - The entry point is `_start` for up to 64 bytes if no symbol holds it (stripped programs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "symbolizer/elf_file.h"

namespace perfgap {

class ElfSymbols {
 public:
  struct Found {
    std::size_t index;      // of the symbol; equal for equal symbols
    std::string_view name;  // as the file spells it, cut at 64 KiB; valid as long as the file
    std::uint64_t start;
    std::uint64_t end;
  };

  ElfSymbols() = default;
  // Symbols of `file` and of `others` (debug files of the same program), whose addresses agree with
  // it. All must outlive the result. Tables that lie cost their own symbols only.
  ElfSymbols(const ElfFile& file, std::span<const ElfFile* const> others);

  [[nodiscard]] std::optional<Found> find(std::uint64_t address) const;
  // Addresses of these symbols, nullopt where the file defines none of that name. One pass.
  [[nodiscard]] std::vector<std::optional<std::uint64_t>> addresses_of(
      std::span<const std::string_view> names) const;
  [[nodiscard]] std::size_t size() const { return symbols_.size(); }

 private:
  struct Symbol {
    std::uint64_t start;
    std::uint64_t end;   // == start while the size is unknown
    std::uint32_t name;  // offset into the table's strings
    std::uint16_t table;
    std::uint8_t binding;
  };
  using StringTable = std::span<const std::byte>;
  struct Range {
    std::uint64_t start;
    std::uint64_t end;
    std::uint32_t symbol;
  };

  void read_table(const ElfFile& names_from, const ElfFile& file, const ElfSection& section);
  void add_entry_point(const ElfFile& file);
  void lay_out_sized(std::size_t sized);
  void lay_out_unsized(const ElfFile& file, std::size_t sized);
  // At most `limit` bytes of the name.
  [[nodiscard]] std::string_view name_of(const Symbol& symbol, std::size_t limit) const;
  [[nodiscard]] bool better_alias(const Symbol& a, const Symbol& b) const;
  [[nodiscard]] const Range* range_at(std::uint64_t address) const;

  std::vector<StringTable> tables_;
  std::vector<Symbol> symbols_;
  std::vector<Range> ranges_;  // ascending, disjoint
};

// True if the file has a symbol table beyond what dynamic linking needs.
bool has_full_symbol_table(const ElfFile& file);

}  // namespace perfgap
