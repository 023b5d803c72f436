#include "symbolizer/modules.h"

#include <fmt/format.h>

#include <algorithm>

#include "symbolizer/demangle.h"

namespace perfgap {
namespace {

constexpr std::string_view kBuiltinPrefix = "Builtins_";  // V8's embedded code

ElfSymbols read_symbols(const ElfFile& file, std::span<const DebugFile> debug_files) {
  std::vector<const ElfFile*> others;
  for (const DebugFile& debug : debug_files) others.push_back(&debug.elf);
  return {file, others};
}

}  // namespace

Module::Module(std::string path, ElfFile file) : path_(std::move(path)), file_(std::move(file)) {
  if (!has_full_symbol_table(file_) && path_ != kVdso) {
    DebugFiles found = find_debug_files(file_, path_);
    debug_files_ = std::move(found.files);
    for (const std::string& problem : found.problems)
      problems_.push_back(fmt::format("{}: {}", path_, problem));
  }
  symbols_ = read_symbols(file_, debug_files_);
  entries_ = EntryFinder(file_, symbols_);
}

MappingId Module::mapping_of(Profile& profile, const ElfSegment* segment) {
  Mapping mapping{.file = profile.intern(path_), .build_id = profile.intern(file_.build_id())};
  if (segment != nullptr) {
    mapping.start = segment->address;
    mapping.limit = segment->address + segment->memory_size;
    mapping.file_offset = segment->file_offset;
  }
  return profile.intern(mapping);
}

FunctionId Module::function_of(Profile& profile, const ElfSymbols::Found& symbol) {
  FunctionId& known = functions_[symbol.index];
  if (known.is_none()) {
    known = profile.intern(Function{.name = profile.intern(readable_name(symbol.name)),
                                    .system_name = profile.intern(bounded_name(symbol.name)),
                                    .file = {}});
  }
  return known;
}

ResolvedFrame Module::frame_at(Profile& profile, std::uint64_t offset, bool is_caller) {
  const ElfSegment* segment = file_.segment_at_offset(offset);
  Frame frame{.mapping = mapping_of(profile, segment), .kind = FrameKind::native};
  ResolvedFrame out;
  if (segment == nullptr) {
    frame.address = offset;  // padding between segments: no linked address
    out.frame = profile.intern(frame);
    return out;
  }
  frame.address = offset - segment->file_offset + segment->address;
  const std::uint64_t return_address = frame.address + 1;
  if (const auto symbol = symbols_.find(frame.address)) {
    frame.function = function_of(profile, *symbol);
    if (symbol->name.starts_with(kBuiltinPrefix)) frame.kind = FrameKind::builtin;
    out.entry = entries_.is_entry(symbol->name, return_address);
  } else if (is_caller) {
    out.entry = entries_.is_entry({}, return_address);
    const std::string_view name = out.entry ? entries_.name_of_entry(return_address) : "";
    if (!name.empty()) {
      const StringId id = profile.intern(name);
      frame.function = profile.intern(Function{.name = id, .system_name = id, .file = {}});
    }
  }
  out.frame = profile.intern(frame);
  return out;
}

Modules::Modules(std::vector<std::string>& notes) : notes_(notes) {}

std::unique_ptr<Module> Modules::open(const CapturedFile& file) {
  if (!file.fd.valid()) {
    if (!file.open_error.empty())
      notes_.push_back(fmt::format("{}: cannot be read ({}); its functions have no names",
                                   file.path, file.open_error));
    return nullptr;
  }
  auto elf = ElfFile::open(file.fd.get());
  // Memory shared through a file is no program: its code, if any, is a JIT compiler's.
  if (!elf) return nullptr;
  auto module = std::make_unique<Module>(bounded_name(file.path), std::move(*elf));
  notes_.insert(notes_.end(), module->problems().begin(), module->problems().end());
  return module;
}

Module* Modules::of_file(const CapturedFile& file) {
  if (file.inode == 0 || !file.fd.valid()) {
    const auto [known, added] = by_file_.try_emplace(&file);
    if (added) known->second = open(file);
    return known->second.get();
  }
  const auto [known, added] = by_inode_.try_emplace({file.device, file.inode});
  if (added) known->second = open(file);
  return known->second.get();
}

Module* Modules::of_vdso(std::span<const std::byte> bytes) {
  for (const auto& [known, module] : vdsos_) {
    if (std::ranges::equal(known, bytes)) return module.get();
  }
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  auto elf = ElfFile::from_memory(copy);
  auto module = elf ? std::make_unique<Module>(std::string(kVdso), std::move(*elf)) : nullptr;
  vdsos_.emplace_back(std::move(copy), std::move(module));
  return vdsos_.back().second.get();
}

}  // namespace perfgap
