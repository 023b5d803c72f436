#include "symbolizer/image_resolver.h"

#include <fmt/format.h>

#include "model/hash.h"
#include "symbolizer/demangle.h"
#include "symbolizer/jit_names.h"

namespace perfgap {
namespace {

constexpr std::string_view kJit = "[jit]";
constexpr std::string_view kBuiltins = "[v8 builtins]";
constexpr std::string_view kAnonymous = "[anonymous]";
constexpr std::string_view kDeleted = " (deleted)";

// Module of memory that no file backs.
std::string_view memory_module(std::string_view name) {
  if (name.empty() || name == "//anon" || name.starts_with("[anon")) return kAnonymous;
  if (name.ends_with(kDeleted)) name.remove_suffix(kDeleted.size());
  return name;
}

}  // namespace

std::size_t ImageResolver::KeyHash::operator()(const Key& key) const {
  return hash_values(key.address, key.mapping, key.is_caller);
}

ImageResolver::ImageResolver(Profile& profile, Modules& modules, const CapturedImage& image,
                             std::span<const std::uint64_t> addresses)
    : profile_(profile),
      modules_(modules),
      image_(image),
      timeline_(image.mappings),
      perf_map_(image.perf_map, addresses) {}

ResolvedFrame ImageResolver::resolve(std::uint64_t address, bool is_caller) {
  const Key key{.address = address, .mapping = timeline_.find(address), .is_caller = is_caller};
  const auto [known, added] = known_.try_emplace(key);
  if (added) {
    known->second = resolve_uncached(key);
    if (known->second.reused) reused_++;
  }
  return known->second;
}

ResolvedFrame ImageResolver::resolve_uncached(const Key& key) {
  const CapturedMapping* mapping =
      key.mapping == MappingTimeline::kNone ? nullptr : &image_.mappings[key.mapping];
  if (mapping != nullptr) {
    const std::uint64_t distance = key.address - mapping->start;
    Module* module = nullptr;
    if (mapping->file) {
      module = modules_.of_file(*mapping->file);
    } else if (mapping->name == kVdso) {
      module = modules_.of_vdso(image_.vdso);
    }
    if (module != nullptr) {
      const std::uint64_t offset = distance + (mapping->file ? mapping->file_offset : 0);
      return module->frame_at(profile_, offset, key.is_caller);
    }
  }
  if (const auto entry = perf_map_.find(key.address)) return jit_frame(*entry, key.address);
  if (mapping == nullptr) {
    ResolvedFrame out;
    out.mapped = false;
    out.frame = profile_.intern(Frame{.address = key.address, .kind = FrameKind::unknown});
    return out;
  }
  if (mapping->file) return in_file(*mapping, key.address);
  return unnamed_frame(memory_module(mapping->name), key.address);
}

// A file that could not be read: its own addresses are unknown, places in it are not.
ResolvedFrame ImageResolver::in_file(const CapturedMapping& mapping, std::uint64_t address) {
  const std::uint64_t size = mapping.end - mapping.start;
  const MappingId module =
      profile_.intern(Mapping{.start = mapping.file_offset,
                              .limit = mapping.file_offset + size,
                              .file_offset = mapping.file_offset,
                              .file = profile_.intern(bounded_name(mapping.file->path)),
                              .build_id = {}});
  ResolvedFrame out;
  out.frame = profile_.intern(Frame{.mapping = module,
                                    .address = address - mapping.start + mapping.file_offset,
                                    .kind = FrameKind::native});
  return out;
}

ResolvedFrame ImageResolver::jit_frame(const PerfMap::Entry& entry, std::uint64_t address) {
  const JitName name = parse_jit_name(entry.name);
  const std::string_view module = name.kind == FrameKind::builtin ? kBuiltins : kJit;
  const FunctionId function =
      profile_.intern(Function{.name = profile_.intern(bounded_name(name.name)),
                               .system_name = profile_.intern(bounded_name(name.system_name)),
                               .file = profile_.intern(bounded_name(name.file)),
                               .start_line = name.line});
  ResolvedFrame out;
  out.reused = entry.reused;
  out.frame = profile_.intern(
      Frame{.function = function,
            .mapping = profile_.intern(Mapping{.file = profile_.intern(module), .build_id = {}}),
            .address = address,
            .kind = name.kind,
            .tier = name.tier});
  return out;
}

ResolvedFrame ImageResolver::unnamed_frame(std::string_view module, std::uint64_t address) {
  ResolvedFrame out;
  const StringId file = profile_.intern(bounded_name(module));
  out.frame =
      profile_.intern(Frame{.mapping = profile_.intern(Mapping{.file = file, .build_id = {}}),
                            .address = address,
                            .kind = FrameKind::unknown});
  return out;
}

std::vector<std::string> ImageResolver::notes(std::uint64_t pid) const {
  std::vector<std::string> notes;
  if (perf_map_.bad_lines() > 0)
    notes.push_back(fmt::format("perf map of pid {}: {} of {} lines are not \"START SIZE name\"",
                                pid, perf_map_.bad_lines(), perf_map_.lines()));
  if (reused_ > 0)
    notes.push_back(fmt::format("perf map of pid {}: {} sampled {} reused; named by the last entry",
                                pid, reused_, reused_ == 1 ? "address was" : "addresses were"));
  return notes;
}

}  // namespace perfgap
