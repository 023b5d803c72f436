#include "symbolizer/perf_map.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace perfgap {
namespace {

struct Line {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string_view name;
};

// Takes a hexadecimal number, with or without 0x, and the blanks after it.
bool take_number(std::string_view& line, std::uint64_t& value) {
  if (line.starts_with("0x") || line.starts_with("0X")) line.remove_prefix(2);
  const auto parsed = std::from_chars(line.begin(), line.end(), value, 16);
  if (parsed.ec != std::errc() || parsed.ptr == line.end() || *parsed.ptr != ' ') return false;
  line.remove_prefix(static_cast<std::size_t>(parsed.ptr - line.begin()));
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return true;
}

std::optional<Line> parse_line(std::string_view text) {
  Line line;
  std::uint64_t size = 0;
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (!take_number(text, line.start) || !take_number(text, size)) return std::nullopt;
  if (text.ends_with('\r')) text.remove_suffix(1);
  text = text.substr(0, text.find('\0'));
  if (text.empty() || size > UINT64_MAX - line.start) return std::nullopt;
  line.end = line.start + size;
  line.name = text;
  return line;
}

// Follows `next` from `index` to the first index that points to itself, shortening the way.
std::uint32_t follow(std::vector<std::uint32_t>& next, std::uint32_t index) {
  while (next[index] != index) {
    next[index] = next[next[index]];
    index = next[index];
  }
  return index;
}

}  // namespace

PerfMap::PerfMap(std::string_view text, std::span<const std::uint64_t> addresses)
    : addresses_(addresses.begin(), addresses.end()),
      entries_(addresses.size()),
      next_unnamed_(addresses.size() + 1),
      next_once_(addresses.size() + 1) {
  std::iota(next_unnamed_.begin(), next_unnamed_.end(), 0U);
  std::iota(next_once_.begin(), next_once_.end(), 0U);
  // Backwards: the first line met that contains an address is the last one written.
  std::size_t end = text.rfind('\n');
  while (end != std::string_view::npos) {
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = text.substr(begin, end - begin);
    end = before;
    if (line.empty()) continue;
    lines_++;
    if (const auto parsed = parse_line(line)) {
      apply(parsed->start, parsed->end, parsed->name);
    } else {
      bad_lines_++;
    }
  }
}

void PerfMap::apply(std::uint64_t start, std::uint64_t end, std::string_view name) {
  const auto from = std::ranges::lower_bound(addresses_, start);
  const auto first = static_cast<std::uint32_t>(from - addresses_.begin());
  // Those without a name yet get this line's below, so that each is passed over here only once.
  for (std::uint32_t i = follow(next_once_, first); i < addresses_.size() && addresses_[i] < end;
       i = follow(next_once_, i + 1)) {
    if (entries_[i].name.data() == nullptr) continue;
    entries_[i].reused = entries_[i].name != name;
    next_once_[i] = i + 1;
  }
  for (std::uint32_t i = follow(next_unnamed_, first); i < addresses_.size() && addresses_[i] < end;
       i = follow(next_unnamed_, i)) {
    entries_[i].name = name;
    next_unnamed_[i] = i + 1;
  }
}

std::optional<PerfMap::Entry> PerfMap::find(std::uint64_t address) const {
  const auto found = std::ranges::lower_bound(addresses_, address);
  if (found == addresses_.end() || *found != address) return std::nullopt;
  const Entry& entry = entries_[static_cast<std::size_t>(found - addresses_.begin())];
  if (entry.name.data() == nullptr) return std::nullopt;
  return entry;
}

}  // namespace perfgap
