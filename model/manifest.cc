// The manifest comment: see manifest.h.
#include "model/manifest.h"

#include <charconv>
#include <utility>

#include "model/run_info_json.h"
#include "model/utf8.h"

namespace perfgap {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr const char* kSamplesKey = "samples";
constexpr const char* kEscapedKey = "escaped";
constexpr const char* kLocationsKey = "locations";
constexpr const char* kKindsKey = "kinds";
constexpr const char* kTiersKey = "tiers";

std::unexpected<Error> damaged_manifest(const std::string& what) {
  return fail("manifest: " + what + "; take another copy of the file");
}

std::string hex(std::uint64_t value) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, value >>= 4) {
    *digit = "0123456789abcdef"[value & 0xf];
  }
  return digits;
}

// {"jit": [3, [7, 9]]}: ids, and [first, last] for neighbours.
template <typename Value>
json ranges_to_json(const IdRanges<Value>& ranges) {
  json object = json::object();
  for (const IdRange<Value>& range : ranges) {
    json& ids = object[std::string(to_string(range.value))];
    if (range.first == range.last) {
      ids.push_back(range.first);
    } else {
      ids.push_back(json::array({range.first, range.last}));
    }
  }
  return object;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> range_from(const json& item) {
  if (item.is_number_unsigned()) {
    const auto id = item.get<std::uint64_t>();
    return std::pair(id, id);
  }
  if (!item.is_array() || item.size() != 2 || !item[0].is_number_unsigned() ||
      !item[1].is_number_unsigned()) {
    return std::nullopt;
  }
  return std::pair(item[0].get<std::uint64_t>(), item[1].get<std::uint64_t>());
}

// Takes the key out of the object. A name that this version does not know costs its frames that
// value alone.
template <typename Value>
Result<IdRanges<Value>> take_ranges(json& manifest, const char* key,
                                    std::optional<Value> (*value_from)(std::string_view)) {
  IdRanges<Value> ranges;
  const auto object = manifest.find(key);
  if (object == manifest.end()) return ranges;
  if (!object->is_object()) return damaged_manifest(std::string("'") + key + "' is no object");
  for (const auto& [name, ids] : object->items()) {
    const std::optional<Value> value = value_from(name);
    if (!value) continue;
    if (!ids.is_array()) return damaged_manifest(std::string("'") + key + "' holds no list of ids");
    for (const json& item : ids) {
      const auto range = range_from(item);
      if (!range)
        return damaged_manifest(std::string("'") + key + "' holds something that is no id");
      ranges.push_back({range->first, range->second, *value});
    }
  }
  std::ranges::sort(ranges, {}, &IdRange<Value>::first);
  manifest.erase(object);
  return ranges;
}

LocationDigest take_digest(json& manifest) {
  LocationDigest digest;
  const auto object = manifest.find(kLocationsKey);
  if (object == manifest.end()) return digest;
  if (object->is_object()) {
    const json count = object->value("count", json());
    const json check = object->value("check", json());
    if (count.is_number_unsigned() && check.is_string()) {
      const auto& digits = check.get_ref<const std::string&>();
      digest.count = count.get<std::uint64_t>();
      std::from_chars(digits.data(), digits.data() + digits.size(), digest.hash, 16);
    }
  }
  manifest.erase(object);
  return digest;
}

// Terminals obey control characters; a command line may hold any.
std::string printable(std::string_view text) {
  std::string out = escape_to_utf8(text);
  std::ranges::replace_if(out, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }, '?');
  return out;
}

}  // namespace

void LocationDigest::add(std::uint64_t id, std::uint64_t address) {
  ++count;
  mix(id);
  mix(address);
}

void LocationDigest::mix(std::uint64_t value) {
  for (int byte = 0; byte < 8; ++byte, value >>= 8) {
    hash = (hash ^ (value & 0xff)) * 0x100000001b3U;
  }
}

FrameKind kind_of_mapping(std::string_view file) {
  if (file.starts_with("[kernel")) return FrameKind::kernel;
  if (file == "[jit]") return FrameKind::jit;
  if (file == "[v8 builtins]") return FrameKind::builtin;
  if (file.empty() || file == "[anonymous]" || file.starts_with("//anon")) {
    return FrameKind::unknown;
  }
  return FrameKind::native;
}

std::string manifest_comment(const Manifest& manifest) {
  json object = run_info_to_object(manifest.run);
  object[kSamplesKey] = manifest.samples;
  object[kLocationsKey] = {{"count", manifest.locations.count},
                           {"check", hex(manifest.locations.hash)}};
  object[kKindsKey] = ranges_to_json(manifest.kinds);
  object[kTiersKey] = ranges_to_json(manifest.tiers);
  object[kEscapedKey] = manifest.escaped;
  return std::string(kManifestPrefix) + object.dump();
}

Result<Manifest> manifest_from_comment(std::string_view comment) {
  if (!comment.starts_with(kManifestPrefix)) {
    return fail("written in a later version of this format; update this program");
  }
  if (comment.size() > kMaxBytes) return damaged_manifest("too large");
  Result<json> object = parse_json_object(comment.substr(kManifestPrefix.size()));
  if (!object) return std::unexpected(object.error());

  Manifest manifest;
  if (const json samples = object->value(kSamplesKey, json()); samples.is_number_unsigned()) {
    manifest.samples = samples.get<std::uint64_t>();
  }
  if (const json escaped = object->value(kEscapedKey, json()); escaped.is_boolean()) {
    manifest.escaped = escaped.get<bool>();
  }
  object->erase(kSamplesKey);
  object->erase(kEscapedKey);
  manifest.locations = take_digest(*object);
  auto kinds = take_ranges<FrameKind>(*object, kKindsKey, frame_kind_from);
  if (!kinds) return std::unexpected(kinds.error());
  manifest.kinds = *std::move(kinds);
  auto tiers = take_ranges<Tier>(*object, kTiersKey, tier_from);
  if (!tiers) return std::unexpected(tiers.error());
  manifest.tiers = *std::move(tiers);
  Result<RunInfo> run = run_info_from_object(*object);
  if (!run) return std::unexpected(run.error());
  manifest.run = *std::move(run);
  return manifest;
}

std::string summary_comment(const RunInfo& run) {
  std::string line(kSummaryPrefix);
  if (run.empty()) return line + "manifest of a profile that another program recorded";
  line += printable(run.tool_version) + ":";
  if (!run.processes.empty()) {
    const ProcessRun& process = run.processes.front();
    const std::string& command = process.command.empty() ? process.comm : process.command;
    line += " " + printable(command) + " (pid " + std::to_string(process.pid) + ")";
    if (run.processes.size() > 1) {
      line += " and " + std::to_string(run.processes.size() - 1) + " more";
    }
    line += ",";
  }
  line += " " + printable(run.event.name) + " " + std::to_string(run.rate_opened_hz) + " Hz, " +
          std::to_string(run.run_ms) + " ms on " + printable(run.host) + ", Linux " +
          printable(run.kernel);
  return line;
}

}  // namespace perfgap
