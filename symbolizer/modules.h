// The modules of a capture, each file read once: frames for places in them.
//
// Frame addresses are the file's own, as linked. A caller is looked up, and stored, one byte
// before its return address, so that a call at the very end of a function names that function.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/capture.h"
#include "model/profile.h"
#include "symbolizer/debug_file.h"
#include "symbolizer/elf_file.h"
#include "symbolizer/elf_symbols.h"
#include "symbolizer/root.h"

namespace perfgap {

inline constexpr std::string_view kVdso = "[vdso]";  // the name that /proc/PID/maps gives it

// What one address turned out to be.
struct ResolvedFrame {
  FrameId frame;
  bool mapped = true;   // lies in executable memory
  bool entry = false;   // of the root rule
  bool reused = false;  // of a perf map: the address had another name before
};

// One ELF file with its symbols. Never moves: its parts refer to each other.
class Module {
 public:
  Module(std::string path, ElfFile file);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Frame for the byte at `offset` of the file; of a caller, the byte before its return address.
  ResolvedFrame frame_at(Profile& profile, std::uint64_t offset, bool is_caller);
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  FunctionId function_of(Profile& profile, const ElfSymbols::Found& symbol);
  MappingId mapping_of(Profile& profile, const ElfSegment* segment);

  std::string path_;
  ElfFile file_;
  std::vector<DebugFile> debug_files_;
  std::vector<std::string> problems_;
  ElfSymbols symbols_;
  EntryFinder entries_;
  std::unordered_map<std::size_t, FunctionId> functions_;  // by symbol
};

class Modules {
 public:
  // Notes are added to `notes`, once per cause.
  explicit Modules(std::vector<std::string>& notes);

  // The module of a mapped file; null if it cannot be read as ELF.
  Module* of_file(const CapturedFile& file);
  // The vDSO of these bytes; null if they are no ELF image.
  Module* of_vdso(std::span<const std::byte> bytes);

 private:
  std::unique_ptr<Module> open(const CapturedFile& file);

  std::vector<std::string>& notes_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::unique_ptr<Module>> by_inode_;
  std::map<const CapturedFile*, std::unique_ptr<Module>> by_file_;  // unreadable ones
  std::vector<std::pair<std::vector<std::byte>, std::unique_ptr<Module>>> vdsos_;
};

}  // namespace perfgap
