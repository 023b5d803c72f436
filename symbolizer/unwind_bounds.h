// Where functions begin and end according to a file's unwind information (.eh_frame): known even
// in stripped files. Only the extent of each entry is read, not its rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "symbolizer/elf_file.h"

namespace perfgap {

struct FunctionBounds {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

class UnwindBounds {
 public:
  UnwindBounds() = default;
  // Entries that cannot be made sense of are left out.
  explicit UnwindBounds(const ElfFile& file);

  // The code that one unwind entry describes and that holds `address`.
  [[nodiscard]] std::optional<FunctionBounds> find(std::uint64_t address) const;

 private:
  std::vector<FunctionBounds> bounds_;  // ascending by start
};

}  // namespace perfgap
