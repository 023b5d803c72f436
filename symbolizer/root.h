// The root rule: which functions are known entries, where a stack begins and no caller exists.
//
// docs/decisions/0005-root-without-unwind-tables.md gives the reasons. `main` is none of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "symbolizer/elf_file.h"
#include "symbolizer/elf_symbols.h"
#include "symbolizer/unwind_bounds.h"

namespace perfgap {

// The symbol is an entry in whichever module it stands: `_start`, `__libc_start_main`,
// `runtime.goexit`, ...
bool is_entry_symbol(std::string_view symbol);

// The symbol is an entry if its module is a C library, and too common a name anywhere else:
// `clone`, `start_thread`, ...
bool is_libc_entry_symbol(std::string_view symbol);

// Recognises entries of one module, also those whose symbols were stripped, by what their code
// proves.
class EntryFinder {
 public:
  EntryFinder() = default;
  // Both must outlive the result.
  EntryFinder(const ElfFile& file, const ElfSymbols& symbols) : file_(&file), symbols_(&symbols) {}

  // Whether a frame that will return to `return_address` (as linked) is in a known entry. `symbol`
  // is what holds the address, empty if nothing does.
  [[nodiscard]] bool is_entry(std::string_view symbol, std::uint64_t return_address);
  // The conventional name of an entry without a symbol; empty if it is none, or which one it is
  // remains uncertain.
  [[nodiscard]] std::string_view name_of_entry(std::uint64_t return_address);

 private:
  enum class Kind {
    none,
    libc_start_call_main,
    libc_start_main,
    musl_start_main,
    start_thread,
    musl_start,
    clone3,
    unnamed,
  };
  struct LibraryFunctions {
    std::optional<std::uint64_t> exit;
    std::optional<std::uint64_t> start_main;
    std::optional<std::uint64_t> create_thread;
    std::optional<std::uint64_t> exit_thread;
    bool is_glibc = false;
  };

  Kind recognise(std::uint64_t return_address);
  Kind recognise_main_caller(std::uint64_t return_address, std::uint64_t exit_target);
  // The function around the return address starts at one of `references`.
  bool is_referenced(std::uint64_t return_address, std::span<const std::uint64_t> references);
  const LibraryFunctions& library();
  const UnwindBounds& functions();
  std::span<const std::uint64_t> static_start_references();
  std::span<const std::uint64_t> thread_start_references();

  const ElfFile* file_ = nullptr;
  const ElfSymbols* symbols_ = nullptr;
  std::optional<LibraryFunctions> library_;
  std::optional<UnwindBounds> functions_;
  // Ascending; see the functions of these names.
  std::optional<std::vector<std::uint64_t>> static_start_references_;
  std::optional<std::vector<std::uint64_t>> thread_start_references_;
};

// A stack as the root rule sees it, leaf first.
struct RootFrame {
  bool mapped = true;  // false: the address lies in no executable memory
  bool entry = false;
};

struct RootVerdict {
  std::size_t depth = 0;  // frames to keep
  Outcome outcome = Outcome::unknown;
};

// Cuts what lies beyond a known entry or beyond an address that is no code, and says whether the
// root was reached. `walk` is how the raw walk ended.
RootVerdict judge_root(std::span<const RootFrame> frames, Outcome walk);

}  // namespace perfgap
