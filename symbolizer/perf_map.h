// Names of JIT code from the text of a perf map: lines "START SIZE name", numbers in hexadecimal.
//
// The file is append-only and code moves, so the last line that contains an address names it. The
// addresses to name are given first, which keeps memory to theirs however long the text is; time is
// O(lines x log addresses).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace perfgap {

class PerfMap {
 public:
  struct Entry {
    std::string_view name;  // blanks and ';' as they stand; within the text
    bool reused = false;    // the line before it that contains the address has another name
  };

  PerfMap() = default;
  // `addresses` ascend, each once. A last line without its newline is torn and ignored.
  PerfMap(std::string_view text, std::span<const std::uint64_t> addresses);

  // The entry of one of the addresses given.
  [[nodiscard]] std::optional<Entry> find(std::uint64_t address) const;
  [[nodiscard]] std::size_t lines() const { return lines_; }
  [[nodiscard]] std::size_t bad_lines() const { return bad_lines_; }

 private:
  void apply(std::uint64_t start, std::uint64_t end, std::string_view name);

  std::vector<std::uint64_t> addresses_;
  std::vector<Entry> entries_;  // parallel to addresses_; name.data() null: none
  // From an index on, the first that has no entry yet, and the first with fewer than two lines.
  std::vector<std::uint32_t> next_unnamed_;
  std::vector<std::uint32_t> next_once_;
  std::size_t lines_ = 0;
  std::size_t bad_lines_ = 0;
};

}  // namespace perfgap
