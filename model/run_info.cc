// RunInfo to JSON and back: one list of fields per struct serves both directions.
#include "model/run_info.h"

#include <concepts>
#include <limits>
#include <set>
#include <type_traits>

#include "model/run_info_json.h"
#include "model/utf8.h"

namespace perfgap {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 64;

template <typename T, typename Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

void fields(auto& visit, Is<CpuUse> auto& use) {
  visit("cpu_ns", use.cpu_ns);
  visit("wait_ns", use.wait_ns);
}

void fields(auto& visit, Is<ThreadRun> auto& thread) {
  visit("pid", thread.pid);
  visit("tid", thread.tid);
  visit("name", thread.name);
  visit("use", thread.use);
}

void fields(auto& visit, Is<ProcessRun> auto& process) {
  visit("pid", process.pid);
  visit("parent_pid", process.parent_pid);
  visit("requested", process.requested);
  visit("counted", process.counted);
  visit("comm", process.comm);
  visit("command", process.command);
  visit("executables", process.executables);
  visit("execs", process.execs);
  visit("began_ms", process.began_ms);
  visit("exited", process.exited);
  visit("ended_ms", process.ended_ms);
  visit("exit_status", process.exit_status);
  visit("use", process.use);
}

void fields(auto& visit, Is<EventInfo> auto& event) {
  visit("requested", event.requested);
  visit("name", event.name);
  visit("reason", event.reason);
  visit("excludes_kernel", event.excludes_kernel);
  visit("excludes_user", event.excludes_user);
}

void fields(auto& visit, Is<Overhead> auto& overhead) {
  visit("probe_ns", overhead.probe_ns);
  visit("collector_cpu_ns", overhead.collector_cpu_ns);
}

void fields(auto& visit, Is<RunInfo> auto& run) {
  visit("tool_version", run.tool_version);
  visit("host", run.host);
  visit("kernel", run.kernel);
  visit("machine", run.machine);
  visit("cpus_online", run.cpus_online);
  visit("cpus_sampled", run.cpus_sampled);
  visit("backend", run.backend);
  visit("unwinding", run.unwinding);
  visit("event", run.event);
  visit("rate_asked_hz", run.rate_asked_hz);
  visit("rate_opened_hz", run.rate_opened_hz);
  visit("start_unix_ns", run.start_unix_ns);
  visit("asked_ms", run.asked_ms);
  visit("run_ms", run.run_ms);
  visit("end_reason", run.end_reason);
  visit("follows_children", run.follows_children);
  visit("processes", run.processes);
  visit("threads", run.threads);
  visit("losses", run.losses);
  visit("overhead", run.overhead);
  visit("rule_hash", run.rule_hash);
  visit("notes", run.notes);
}

class FactWriter {
 public:
  template <typename T>
  void operator()(const char* key, const T& value) {
    object[key] = value_of(value);
  }

  json object = json::object();

 private:
  static json value_of(const std::string& text) { return escape_to_utf8(text); }
  template <typename T>
    requires std::is_arithmetic_v<T>
  static json value_of(T number) {
    return number;
  }
  template <typename T>
  static json value_of(const std::vector<T>& items) {
    json array = json::array();
    for (const T& item : items) array.push_back(value_of(item));
    return array;
  }
  static json value_of(const std::map<std::string, std::uint64_t>& counts) {
    json nested = json::object();
    for (const auto& [name, count] : counts) nested[escape_to_utf8(name)] = count;
    return nested;
  }
  template <typename T>
    requires std::is_class_v<T>
  static json value_of(const T& part) {
    FactWriter nested;
    fields(nested, part);
    return std::move(nested.object);
  }
};

// Takes what is there; a missing key leaves the default. `bad_key` is the first key with a value of
// the wrong type.
class FactReader {
 public:
  explicit FactReader(const json& object) : object_(object) {}

  template <typename T>
  void operator()(const char* key, T& field) {
    known_keys.insert(key);
    const auto found = object_.find(key);
    if (found == object_.end()) return;
    if (!take(*found, field) && bad_key.empty()) bad_key = key;
  }

  std::set<std::string> known_keys;
  std::string bad_key;

 private:
  static bool take(const json& value, std::string& text) {
    if (!value.is_string()) return false;
    text = unescape_from_utf8(value.get_ref<const std::string&>());
    return true;
  }
  static bool take(const json& value, bool& flag) {
    if (!value.is_boolean()) return false;
    flag = value.get<bool>();
    return true;
  }
  template <std::integral T>
  static bool take(const json& value, T& number) {
    if (!value.is_number_integer()) return false;
    const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                                 : std::in_range<T>(value.get<std::int64_t>());
    if (fits) number = value.get<T>();
    return fits;
  }
  template <typename T>
  static bool take(const json& value, std::vector<T>& items) {
    if (!value.is_array()) return false;
    for (const json& item : value) {
      if (!take(item, items.emplace_back())) return false;
    }
    return true;
  }
  static bool take(const json& value, std::map<std::string, std::uint64_t>& counts) {
    if (!value.is_object()) return false;
    for (const auto& [name, count] : value.items()) {
      if (!take(count, counts[unescape_from_utf8(name)])) return false;
    }
    return true;
  }
  template <typename T>
    requires std::is_class_v<T>
  static bool take(const json& value, T& part) {
    if (!value.is_object()) return false;
    FactReader nested(value);
    fields(nested, part);
    return nested.bad_key.empty();
  }

  const json& object_;
};

// Parsers and writers of JSON recurse; hostile text must not choose how deep.
bool nested_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

Result<json> parse_json_object(std::string_view text) {
  if (nested_too_deep(text))
    return fail("manifest: nested too deep; take another copy of the file");
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return fail("manifest: not a JSON object; take another copy of the file");
  }
  return object;
}

json run_info_to_object(const RunInfo& run) {
  FactWriter writer;
  fields(writer, run);
  if (run.unknown_json.empty()) return std::move(writer.object);
  if (Result<json> unknown = parse_json_object(run.unknown_json)) {
    unknown->update(writer.object);
    return *std::move(unknown);
  }
  return std::move(writer.object);
}

Result<RunInfo> run_info_from_object(const json& object) {
  RunInfo run;
  FactReader reader(object);
  fields(reader, run);
  if (!reader.bad_key.empty()) {
    return fail("manifest: '" + reader.bad_key +
                "' has a value of the wrong type; take another copy of the file");
  }
  json unknown = json::object();
  for (const auto& [key, value] : object.items()) {
    if (!reader.known_keys.contains(key)) unknown[key] = value;
  }
  if (!unknown.empty()) run.unknown_json = unknown.dump();
  return run;
}

std::string run_info_to_json(const RunInfo& run) {
  return run_info_to_object(run).dump();
}

Result<RunInfo> run_info_from_json(std::string_view text) {
  const Result<json> object = parse_json_object(text);
  if (!object) return std::unexpected(object.error());
  return run_info_from_object(*object);
}

}  // namespace perfgap
