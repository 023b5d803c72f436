// Tables of a pprof file: see pprof_tables.h.
#include "model/pprof_tables.h"

#include <utility>

namespace perfgap::pprof {
namespace {

template <typename Map, typename Value>
void add_once(Map& map, const char* what, std::uint64_t id, const Value& value) {
  if (id == 0) throw damaged(std::string("a ") + what + " has no id");
  if (!map.emplace(id, value).second) {
    throw damaged(std::string("two ") + what + "s have the id " + std::to_string(id));
  }
}

// Id 0 is "none", entry 0 of every table.
template <typename Id>
Id find(const std::unordered_map<std::uint64_t, Id>& map, const char* what, std::uint64_t id) {
  if (id == 0) return Id();
  const auto found = map.find(id);
  if (found == map.end()) {
    throw damaged(std::string(what) + " " + std::to_string(id) + " is named, but not in the file");
  }
  return found->second;
}

// Line numbers that no source file has are as good as none.
std::uint32_t line_number(std::uint64_t number) {
  return std::in_range<std::uint32_t>(number) ? static_cast<std::uint32_t>(number) : 0;
}

}  // namespace

void InputTables::read_mapping(std::string_view bytes) {
  budget_.charge_entries(1);
  std::uint64_t id = 0;
  Mapping mapping;
  each_varint<MappingField>(bytes, [&](MappingField field, std::uint64_t value) {
    if (field == MappingField::id) id = value;
    if (field == MappingField::memory_start) mapping.start = value;
    if (field == MappingField::memory_limit) mapping.limit = value;
    if (field == MappingField::file_offset) mapping.file_offset = value;
    if (field == MappingField::filename) mapping.file = strings_.id(value);
    if (field == MappingField::build_id) mapping.build_id = strings_.id(value);
  });
  add_once(mappings_, "mapping", id, profile_.intern(mapping));
}

void InputTables::read_function(std::string_view bytes) {
  budget_.charge_entries(1);
  std::uint64_t id = 0;
  Function function;
  each_varint<FunctionField>(bytes, [&](FunctionField field, std::uint64_t value) {
    if (field == FunctionField::id) id = value;
    if (field == FunctionField::name) function.name = strings_.id(value);
    if (field == FunctionField::system_name) function.system_name = strings_.id(value);
    if (field == FunctionField::filename) function.file = strings_.id(value);
    if (field == FunctionField::start_line) function.start_line = line_number(value);
  });
  add_once(functions_, "function", id, profile_.intern(function));
}

void InputTables::read_line(std::string_view bytes) {
  budget_.charge_entries(1);
  Line line;
  each_varint<LineField>(bytes, [&](LineField field, std::uint64_t value) {
    if (field == LineField::function_id) line.function = find(functions_, "function", value);
    if (field == LineField::line) line.line = line_number(value);
  });
  lines_.push_back(line);
}

void InputTables::read_location(std::string_view bytes) {
  budget_.charge_entries(1);
  Location location;
  location.first_line = lines_.size();
  InputMessage<LocationField> message(protozero::data_view(bytes.data(), bytes.size()));
  while (message.next()) {
    switch (message.tag_and_type()) {
      case protozero::tag_and_type(LocationField::id, kVarint):
        location.id = message.get_uint64();
        break;
      case protozero::tag_and_type(LocationField::mapping_id, kVarint):
        location.mapping = find(mappings_, "mapping", message.get_uint64());
        break;
      case protozero::tag_and_type(LocationField::address, kVarint):
        location.address = message.get_uint64();
        break;
      case protozero::tag_and_type(LocationField::line, kBytes): {
        const protozero::data_view line = message.get_view();
        read_line({line.data(), line.size()});
        break;
      }
      default:
        message.skip();
    }
  }
  location.lines = lines_.size() - location.first_line;
  locations_.push_back(location);
}

bool InputTables::describes_these(const Manifest& manifest) const {
  LocationDigest digest;
  for (const Location& location : locations_) {
    digest.add(location.id, location.address);
    for (std::size_t i = 0; i < location.lines; ++i) {
      digest.add_line(lines_[location.first_line + i].line);
    }
  }
  return digest == manifest.locations;
}

// Physical frames first, then the inlined ones: the writer sorts by physical frame, and so finds
// its own order again.
void InputTables::make_frames(const Manifest* manifest) {
  for (const Location& location : locations_) {
    const std::size_t count = std::max<std::size_t>(location.lines, 1);
    add_once(frames_of_, "location", location.id, Range{frames_.size(), count});
    frames_.resize(frames_.size() + count);
    const Line line = location.lines == 0 ? Line() : lines_[location.first_line + count - 1];
    Frame frame{.function = line.function,
                .mapping = location.mapping,
                .address = location.address,
                .line = line.line,
                .kind = kind_of_mapping(profile_.text(profile_.mapping(location.mapping).file))};
    if (manifest != nullptr) {
      frame.kind = value_of(manifest->kinds, location.id).value_or(frame.kind);
      frame.tier = value_of(manifest->tiers, location.id).value_or(Tier::none);
    }
    frames_.back() = profile_.intern(frame);
  }
  for (const Location& location : locations_) {
    if (location.lines < 2) continue;
    const Range range = frames_of_.at(location.id);
    Frame frame = profile_.frame(frames_[range.first + range.count - 1]);
    frame.kind = FrameKind::inlined;
    for (std::size_t i = location.lines - 1; i-- > 0;) {
      frame.function = lines_[location.first_line + i].function;
      frame.line = lines_[location.first_line + i].line;
      frames_[range.first + i] = profile_.intern(frame);
    }
  }
}

void InputTables::read(std::string_view fields, const Manifest* manifest) {
  each_message(fields, ProfileField::mapping, [&](std::string_view m) { read_mapping(m); });
  each_message(fields, ProfileField::function, [&](std::string_view f) { read_function(f); });
  each_message(fields, ProfileField::location, [&](std::string_view l) { read_location(l); });
  const bool has_any = manifest != nullptr && !(manifest->kinds.empty() && manifest->tiers.empty());
  if (has_any && !describes_these(*manifest)) {
    dropped_kinds_ = true;
    manifest = nullptr;
  }
  make_frames(manifest);
}

std::span<const FrameId> InputTables::frames_of(std::uint64_t location) const {
  const auto found = frames_of_.find(location);
  if (found == frames_of_.end()) {
    throw damaged("location " + std::to_string(location) + " is named, but not in the file");
  }
  return std::span(frames_).subspan(found->second.first, found->second.count);
}

}  // namespace perfgap::pprof
