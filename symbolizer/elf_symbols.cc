#include "symbolizer/elf_symbols.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>

namespace perfgap {
namespace {

constexpr std::size_t kMaxSymbols = 10'000'000;
constexpr std::size_t kMaxTableBytes = kMaxSymbols * sizeof(Elf64_Sym);
constexpr std::size_t kMaxStringBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxSymbolBytes = 64 << 10;
constexpr std::size_t kAliasBytes = 256;  // names that agree so far count as equal aliases
constexpr std::uint64_t kMaxUnsized = 4096;
constexpr std::uint64_t kMaxEntryPoint = 64;
constexpr std::uint16_t kEntryPointTable = UINT16_MAX;
constexpr std::string_view kEntryPointName = "_start";

bool is_symbol_table(const ElfSection& section) {
  return section.type == SHT_SYMTAB || section.type == SHT_DYNSYM;
}

bool is_code(const GElf_Sym& symbol, std::span<const ElfSection> sections) {
  const auto type = GELF_ST_TYPE(symbol.st_info);
  if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) return false;
  return symbol.st_shndx < sections.size() && sections[symbol.st_shndx].executable &&
         symbol.st_name != 0;
}

std::size_t leading_underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

}  // namespace

bool has_full_symbol_table(const ElfFile& file) {
  return std::ranges::any_of(file.sections(), [](const ElfSection& section) {
    return section.type == SHT_SYMTAB && section.size > sizeof(Elf64_Sym);
  });
}

ElfSymbols::ElfSymbols(const ElfFile& file, std::span<const ElfFile* const> others) {
  for (const ElfSection& section : file.sections()) read_table(file, file, section);
  for (const ElfFile* other : others) {
    for (const ElfSection& section : other->sections()) read_table(*other, file, section);
  }
  add_entry_point(file);

  const auto by_place = [this](const Symbol& a, const Symbol& b) {
    if (a.start != b.start) return a.start < b.start;
    if (a.end != b.end) return a.end > b.end;
    return better_alias(b, a);
  };
  const auto unsized = std::ranges::partition(
      symbols_, [](const Symbol& symbol) { return symbol.end > symbol.start; });
  const auto sized = static_cast<std::size_t>(unsized.begin() - symbols_.begin());
  std::sort(symbols_.begin(), unsized.begin(), by_place);
  std::sort(unsized.begin(), symbols_.end(), by_place);
  lay_out_sized(sized);
  lay_out_unsized(file, sized);
}

void ElfSymbols::read_table(const ElfFile& names_from, const ElfFile& file,
                            const ElfSection& section) {
  const auto sections = std::span(names_from.sections());
  if (!is_symbol_table(section) || section.size > kMaxTableBytes) return;
  if (section.link >= sections.size() || tables_.size() >= kEntryPointTable) return;
  const auto strings = names_from.content(sections[section.link], kMaxStringBytes);
  if (!strings) return;
  Elf_Data* data = elf_getdata(section.handle, nullptr);
  if (data == nullptr || data->d_type != ELF_T_SYM) return;

  const auto table = static_cast<std::uint16_t>(tables_.size());
  tables_.push_back(*strings);
  const std::size_t count =
      std::min(data->d_size / sizeof(Elf64_Sym), kMaxSymbols - std::min(kMaxSymbols, size()));
  for (std::size_t i = 0; i < count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    if (!is_code(symbol, sections)) continue;
    if (symbol.st_size > UINT64_MAX - symbol.st_value) continue;
    // A debug file of other segments would put names on foreign code.
    const ElfSegment* segment = file.segment_at_address(symbol.st_value);
    if (segment == nullptr || !segment->executable) continue;
    symbols_.push_back({.start = symbol.st_value,
                        .end = symbol.st_value + symbol.st_size,
                        .name = symbol.st_name,
                        .table = table,
                        .binding = static_cast<std::uint8_t>(GELF_ST_BIND(symbol.st_info))});
  }
}

void ElfSymbols::add_entry_point(const ElfFile& file) {
  const std::uint64_t entry = file.entry_point();
  const ElfSegment* segment = file.segment_at_address(entry);
  if (entry == 0 || segment == nullptr || !segment->executable) return;
  const bool known = std::ranges::any_of(symbols_, [entry](const Symbol& symbol) {
    return symbol.start == entry || (symbol.start < entry && entry < symbol.end);
  });
  if (known) return;
  symbols_.push_back(
      {.start = entry, .end = entry, .name = 0, .table = kEntryPointTable, .binding = STB_GLOBAL});
}

// Sweeps the sized symbols, ascending by start: the open ones form a stack whose top holds the
// present address; below it lie those that resume when it ends.
void ElfSymbols::lay_out_sized(std::size_t sized) {
  std::vector<std::uint32_t> open;
  std::uint64_t cursor = 0;
  const auto advance = [&](std::uint64_t to) {
    while (!open.empty() && cursor < to) {
      const Symbol& top = symbols_[open.back()];
      const std::uint64_t end = std::min(top.end, to);
      if (end > cursor) {
        ranges_.push_back({.start = cursor, .end = end, .symbol = open.back()});
        cursor = end;
      }
      if (top.end <= cursor) open.pop_back();
    }
    cursor = to;
  };
  for (std::size_t i = 0; i < sized; i++) {
    advance(symbols_[i].start);
    open.push_back(static_cast<std::uint32_t>(i));
  }
  advance(UINT64_MAX);
}

void ElfSymbols::lay_out_unsized(const ElfFile& file, std::size_t sized) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sections;  // start, end
  for (const ElfSection& section : file.sections()) {
    if (section.executable) sections.emplace_back(section.address, section.address + section.size);
  }
  std::ranges::sort(sections);
  std::vector<Range> added;
  for (std::size_t i = sized; i < symbols_.size(); i++) {
    Symbol& symbol = symbols_[i];
    // Sorted worst alias first: the last of equal starts is the one to keep.
    if (i + 1 < symbols_.size() && symbols_[i + 1].start == symbol.start) continue;
    if (range_at(symbol.start) != nullptr) continue;
    std::uint64_t end =
        symbol.start + (symbol.table == kEntryPointTable ? kMaxEntryPoint : kMaxUnsized);
    if (i + 1 < symbols_.size()) end = std::min(end, symbols_[i + 1].start);
    const auto next = std::ranges::upper_bound(ranges_, symbol.start, {}, &Range::start);
    if (next != ranges_.end()) end = std::min(end, next->start);
    const auto section = std::ranges::upper_bound(sections, std::pair(symbol.start, UINT64_MAX));
    if (section != sections.begin() && std::prev(section)->second > symbol.start)
      end = std::min(end, std::prev(section)->second);
    symbol.end = end;
    added.push_back({.start = symbol.start, .end = end, .symbol = static_cast<std::uint32_t>(i)});
  }
  const auto middle = static_cast<std::ptrdiff_t>(ranges_.size());
  ranges_.insert(ranges_.end(), added.begin(), added.end());
  std::ranges::inplace_merge(ranges_, ranges_.begin() + middle, {}, &Range::start);
}

std::string_view ElfSymbols::name_of(const Symbol& symbol, std::size_t limit) const {
  if (symbol.table == kEntryPointTable) return kEntryPointName;
  const StringTable strings = tables_[symbol.table];
  if (symbol.name >= strings.size()) return {};
  const auto* name = reinterpret_cast<const char*>(strings.data()) + symbol.name;
  return {name, strnlen(name, std::min(strings.size() - symbol.name, limit))};
}

bool ElfSymbols::better_alias(const Symbol& a, const Symbol& b) const {
  const bool a_weak = a.binding == STB_WEAK;
  const bool b_weak = b.binding == STB_WEAK;
  if (a_weak != b_weak) return b_weak;
  const bool a_global = a.binding == STB_GLOBAL;
  const bool b_global = b.binding == STB_GLOBAL;
  if (a_global != b_global) return a_global;
  const std::string_view a_name = name_of(a, kAliasBytes);
  const std::string_view b_name = name_of(b, kAliasBytes);
  const std::size_t a_score = leading_underscores(a_name);
  const std::size_t b_score = leading_underscores(b_name);
  if (a_score != b_score) return a_score < b_score;
  if (a_name.size() != b_name.size()) return a_name.size() > b_name.size();
  return a_name < b_name;
}

const ElfSymbols::Range* ElfSymbols::range_at(std::uint64_t address) const {
  auto after = std::ranges::upper_bound(ranges_, address, {}, &Range::start);
  if (after == ranges_.begin()) return nullptr;
  const Range& range = *--after;
  return address < range.end ? &range : nullptr;
}

std::optional<ElfSymbols::Found> ElfSymbols::find(std::uint64_t address) const {
  const Range* range = range_at(address);
  if (range == nullptr) return std::nullopt;
  const Symbol& symbol = symbols_[range->symbol];
  const std::string_view name = name_of(symbol, kMaxSymbolBytes);
  if (name.empty()) return std::nullopt;
  return Found{.index = range->symbol, .name = name, .start = symbol.start, .end = symbol.end};
}

std::vector<std::optional<std::uint64_t>> ElfSymbols::addresses_of(
    std::span<const std::string_view> names) const {
  std::vector<std::optional<std::uint64_t>> found(names.size());
  for (const Symbol& symbol : symbols_) {
    const auto match = std::ranges::find(names, name_of(symbol, kAliasBytes));
    if (match != names.end()) found[static_cast<std::size_t>(match - names.begin())] = symbol.start;
  }
  return found;
}

}  // namespace perfgap
