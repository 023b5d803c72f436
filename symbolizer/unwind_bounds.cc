#include "symbolizer/unwind_bounds.h"

#include <dwarf.h>

#include <array>
#include <cstring>
#include <span>
#include <tuple>

namespace perfgap {
namespace {

constexpr std::uint32_t kMaxEntries = 1 << 26;
constexpr std::size_t kCieBytes = 64;  // of a common information entry, as much as is looked at

template <typename T>
std::optional<T> read_value(const ElfFile& file, std::uint64_t address) {
  T value;
  if (file.read(address, std::as_writable_bytes(std::span(&value, 1))) != sizeof(T))
    return std::nullopt;
  return value;
}

// Start of the search table: pairs of (function start, entry address), both relative to the header.
struct SearchTable {
  std::uint64_t header;
  std::uint64_t pairs;
  std::uint32_t count;
};

std::optional<SearchTable> find_table(const ElfFile& file) {
  if (!file.unwind_header()) return std::nullopt;
  const std::uint64_t header = *file.unwind_header();
  const auto format = read_value<std::array<std::uint8_t, 4>>(file, header);
  const auto count = read_value<std::uint32_t>(file, header + 8);
  constexpr std::array<std::uint8_t, 4> kUsual = {
      1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4, DW_EH_PE_datarel | DW_EH_PE_sdata4};
  if (format != kUsual || !count || *count > kMaxEntries) return std::nullopt;
  return SearchTable{.header = header, .pairs = header + 12, .count = *count};
}

// Reads fields out of a few bytes; past the end, zeros.
class Cursor {
 public:
  explicit Cursor(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint8_t byte() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }
  void skip(std::size_t count) { at_ += std::min(count, bytes_.size() - at_); }
  void skip_leb128() {
    while ((byte() & 0x80) != 0) {
    }
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

std::size_t pointer_size(std::uint8_t encoding) {
  switch (encoding & 0x0f) {
    case DW_EH_PE_udata2:
    case DW_EH_PE_sdata2:
      return 2;
    case DW_EH_PE_udata4:
    case DW_EH_PE_sdata4:
      return 4;
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
      return 8;
    default:
      return 0;
  }
}

// Size of the addresses in entries that refer to this common entry; 0 if unknown.
std::size_t address_size(const ElfFile& file, std::uint64_t cie) {
  std::array<std::uint8_t, kCieBytes> bytes{};
  std::ignore = file.read(cie, std::as_writable_bytes(std::span(bytes)));
  Cursor cursor(bytes);
  cursor.skip(8);  // length and id
  const std::uint8_t version = cursor.byte();
  std::array<char, 8> augmentation{};
  std::size_t letters = 0;
  for (std::uint8_t letter; (letter = cursor.byte()) != 0;) {
    if (letters + 1 >= augmentation.size()) return 0;
    augmentation[letters++] = static_cast<char>(letter);
  }
  cursor.skip_leb128();  // code alignment
  cursor.skip_leb128();  // data alignment
  if (version == 1) {
    cursor.byte();  // return address register
  } else {
    cursor.skip_leb128();
  }
  if (augmentation[0] != 'z') return pointer_size(DW_EH_PE_absptr);
  cursor.skip_leb128();  // augmentation length
  for (const char* letter = augmentation.data() + 1; *letter != 0; letter++) {
    if (*letter == 'R') return pointer_size(cursor.byte());
    if (*letter == 'L') cursor.byte();
    if (*letter == 'P') cursor.skip(pointer_size(cursor.byte()));
  }
  return pointer_size(DW_EH_PE_absptr);
}

}  // namespace

std::optional<FunctionBounds> unwind_bounds(const ElfFile& file, std::uint64_t address) {
  const auto table = find_table(file);
  if (!table) return std::nullopt;
  std::uint32_t low = 0;
  std::uint32_t high = table->count;
  while (low < high) {  // the first entry that starts after `address`
    const std::uint32_t middle = low + (high - low) / 2;
    const auto start = read_value<std::int32_t>(file, table->pairs + std::uint64_t{middle} * 8);
    if (!start) return std::nullopt;
    if (table->header + static_cast<std::uint64_t>(*start) > address) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (low == 0) return std::nullopt;
  const auto pair =
      read_value<std::array<std::int32_t, 2>>(file, table->pairs + std::uint64_t{low - 1} * 8);
  if (!pair) return std::nullopt;
  const std::uint64_t start = table->header + static_cast<std::uint64_t>((*pair)[0]);
  const std::uint64_t fde = table->header + static_cast<std::uint64_t>((*pair)[1]);
  const auto cie_distance = read_value<std::uint32_t>(file, fde + 4);
  if (!cie_distance) return std::nullopt;
  const std::size_t size = address_size(file, fde + 4 - *cie_distance);
  std::uint64_t length = 0;
  if (size == 4) {
    length = read_value<std::uint32_t>(file, fde + 8 + size).value_or(0);
  } else if (size == 8) {
    length = read_value<std::uint64_t>(file, fde + 8 + size).value_or(0);
  }
  if (address - start >= length) return std::nullopt;
  return FunctionBounds{.start = start, .end = start + length};
}

}  // namespace perfgap
