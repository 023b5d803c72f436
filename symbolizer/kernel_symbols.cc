#include "symbolizer/kernel_symbols.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "model/unique_fd.h"

namespace perfgap {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxWord = 4096;
constexpr std::uint64_t kPage = 4096;

bool is_code(char type) {
  return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

// Types whose value is an address of the kernel image; the others are sizes and per-CPU offsets.
bool is_address(char type) {
  return type != 'a' && type != 'A' && type != 'U';
}

// The next word of `line`, blanks around it removed.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

KernelSymbols::KernelSymbols(std::string text) : text_(std::move(text)) {
  if (text_.size() > kMaxBytes) text_.resize(kMaxBytes);
  bool any = false;
  bool any_address = false;
  const std::string_view all = text_;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    std::string_view line = all.substr(at, end - at);
    at = end + 1;
    const std::string_view address = next_word(line);
    const std::string_view type = next_word(line);
    const std::string_view name = next_word(line);
    const std::string_view module = next_word(line);
    std::uint64_t start = 0;
    const auto parsed = std::from_chars(address.begin(), address.end(), start, 16);
    if (address.empty() || parsed.ptr != address.end() || parsed.ec != std::errc() ||
        type.size() != 1 || name.empty() || name.size() > kMaxWord || module.size() > kMaxWord)
      continue;
    any = true;
    any_address |= start != 0;
    if (start == 0 || !is_address(type[0])) continue;
    const auto offset = [&](std::string_view word) {
      return static_cast<std::uint32_t>(word.empty() ? 0 : word.data() - all.data());
    };
    symbols_.push_back({.start = start,
                        .name = offset(name),
                        .module = offset(module),
                        .name_size = static_cast<std::uint16_t>(name.size()),
                        .module_size = static_cast<std::uint16_t>(module.size()),
                        .type = type[0]});
  }
  hidden_ = any && !any_address;
  std::ranges::stable_sort(symbols_, [](const Symbol& a, const Symbol& b) {
    if (a.start != b.start) return a.start < b.start;
    return !is_code(a.type) && is_code(b.type);
  });
}

KernelSymbols KernelSymbols::load(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return {};
  std::string text;
  while (text.size() < kMaxBytes) {
    const std::size_t at = text.size();
    text.resize(at + (std::size_t{1} << 20));
    const ssize_t got = read(fd.get(), text.data() + at, text.size() - at);
    text.resize(at + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got <= 0) break;
  }
  return KernelSymbols(std::move(text));
}

std::string_view KernelSymbols::name_of(const Symbol& symbol) const {
  return std::string_view(text_).substr(symbol.name, symbol.name_size);
}

std::string_view KernelSymbols::module_of(const Symbol& symbol) const {
  return std::string_view(text_).substr(symbol.module, symbol.module_size);
}

std::optional<KernelSymbols::Found> KernelSymbols::find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(symbols_, address, {}, &Symbol::start);
  if (after == symbols_.begin()) return std::nullopt;
  const Symbol& symbol = *std::prev(after);
  if (!is_code(symbol.type)) return std::nullopt;
  const bool last = after == symbols_.end() || module_of(*after) != module_of(symbol);
  if (last && address - symbol.start >= 2 * kPage - symbol.start % kPage) return std::nullopt;
  return Found{.name = name_of(symbol), .module = module_of(symbol)};
}

}  // namespace perfgap
