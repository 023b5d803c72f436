#include "symbolizer/unwind_bounds.h"

#include <dwarf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace perfgap {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kMaxTableBytes = std::size_t{64} << 20;
constexpr std::uint32_t kLongLength = 0xffffffff;  // 64-bit DWARF, which no compiler writes here

// Reads fields in order; past the end, zeros.
class Cursor {
 public:
  Cursor(Bytes bytes, std::size_t at) : bytes_(bytes), at_(std::min(at, bytes.size())) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  void skip(std::size_t count) { at_ += std::min(count, bytes_.size() - at_); }
  template <typename T>
  T take() {
    T value{};
    if (bytes_.size() - at_ >= sizeof(T)) std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    skip(sizeof(T));
    return value;
  }
  void skip_leb128() {
    while ((take<std::uint8_t>() & 0x80) != 0) {
    }
  }
  // A signed or unsigned value of the encoding's width; nullopt for widths not in use.
  std::optional<std::uint64_t> take_encoded(std::uint8_t encoding, bool as_length) {
    switch (encoding & 0x0f) {
      case DW_EH_PE_absptr:
      case DW_EH_PE_udata8:
      case DW_EH_PE_sdata8:
        return take<std::uint64_t>();
      case DW_EH_PE_udata4:
        return take<std::uint32_t>();
      case DW_EH_PE_sdata4:
        if (as_length) return take<std::uint32_t>();
        return static_cast<std::uint64_t>(std::int64_t{take<std::int32_t>()});
      default:
        return std::nullopt;
    }
  }

 private:
  Bytes bytes_;
  std::size_t at_;
};

// How entries that refer to the common entry at `at` encode their addresses.
std::optional<std::uint8_t> address_encoding(Bytes section, std::size_t at) {
  Cursor cursor(section, at);
  cursor.skip(8);  // length and id
  const auto version = cursor.take<std::uint8_t>();
  std::array<char, 8> augmentation{};
  std::size_t letters = 0;
  for (char letter; (letter = cursor.take<char>()) != 0;) {
    if (letters + 1 >= augmentation.size()) return std::nullopt;
    augmentation[letters++] = letter;
  }
  cursor.skip_leb128();  // code alignment
  cursor.skip_leb128();  // data alignment
  if (version == 1) {
    cursor.skip(1);  // return address register
  } else {
    cursor.skip_leb128();
  }
  if (augmentation[0] != 'z') return DW_EH_PE_absptr;
  cursor.skip_leb128();  // augmentation length
  for (const char* letter = augmentation.data() + 1; *letter != 0; letter++) {
    const bool has_byte = *letter == 'R' || *letter == 'L' || *letter == 'P';
    const std::uint8_t encoding = has_byte ? cursor.take<std::uint8_t>() : 0;
    if (*letter == 'R') return encoding;
    if (*letter == 'P' && !cursor.take_encoded(encoding, false)) return std::nullopt;
  }
  return DW_EH_PE_absptr;
}

}  // namespace

UnwindBounds::UnwindBounds(const ElfFile& file) {
  const ElfSection* section = file.section(".eh_frame");
  if (section == nullptr) return;
  const auto content = file.content(*section, kMaxTableBytes);
  if (!content) return;
  std::size_t known_cie = SIZE_MAX;
  std::optional<std::uint8_t> encoding;
  for (std::size_t at = 0; at + 8 <= content->size();) {
    Cursor cursor(*content, at);
    const auto length = cursor.take<std::uint32_t>();
    if (length == 0 || length == kLongLength) break;
    const std::size_t id_at = cursor.at();
    const auto id = cursor.take<std::uint32_t>();
    at = id_at + length;
    if (id == 0 || id > id_at) continue;  // a common entry, or one that points outside
    if (const std::size_t cie = id_at - id; cie != known_cie) {
      known_cie = cie;
      encoding = address_encoding(*content, cie);
    }
    if (!encoding) continue;
    const std::uint64_t field = section->address + cursor.at();
    const auto value = cursor.take_encoded(*encoding, false);
    const auto size = cursor.take_encoded(*encoding, true);
    if (!value || !size || *size == 0) continue;
    const std::uint64_t start = *value + ((*encoding & 0x70) == DW_EH_PE_pcrel ? field : 0);
    if (*size <= UINT64_MAX - start) bounds_.push_back({.start = start, .end = start + *size});
  }
  std::ranges::sort(bounds_, {}, &FunctionBounds::start);
}

std::optional<FunctionBounds> UnwindBounds::find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(bounds_, address, {}, &FunctionBounds::start);
  if (after == bounds_.begin() || address >= std::prev(after)->end) return std::nullopt;
  return *std::prev(after);
}

}  // namespace perfgap
