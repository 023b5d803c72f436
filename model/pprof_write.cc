// Profile -> file. Tables come before samples, so that a truncated file still has what its samples
// need.
#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <protozero/pbf_builder.hpp>

#include "model/gzip.h"
#include "model/manifest.h"
#include "model/pprof.h"
#include "model/pprof_layout.h"
#include "model/pprof_wire.h"
#include "model/utf8.h"

namespace perfgap {
namespace {

using namespace pprof;  // the field numbers: every message below names them

template <typename Field>
using Message = protozero::pbf_builder<Field>;

// Zero is what an absent field means. A message of zeros alone would vanish, though: where that can
// be, the first field is added as it is.
template <typename Field>
void put(Message<Field>& message, Field field, std::uint64_t value) {
  if (value != 0) message.add_uint64(field, value);
}

// The file's strings: those of the profile in the order of their ids, then what the format adds.
class StringTable {
 public:
  explicit StringTable(const Profile& profile) : profile_(profile), used_(profile.string_count()) {
    use(StringId());  // the format wants the empty string first
  }

  void use(StringId id) { used_[id.index()] = true; }
  [[nodiscard]] bool any_needs_escape() const {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] && needs_escape(profile_.text(StringId(i)))) return true;
    }
    return false;
  }
  // After the last use(), before the first of(). From here on texts are stored escaped if
  // `escaping`.
  void number(bool escaping) {
    escaping_ = escaping;
    index_.resize(used_.size());
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) index_[i] = append(profile_.text(StringId(i)));
    }
  }
  [[nodiscard]] std::uint64_t of(StringId id) const {
    assert(used_[id.index()]);
    return index_[id.index()];
  }
  std::uint64_t of(std::string_view text) {
    const auto [entry, added] = added_.try_emplace(std::string(text), texts_.size());
    if (added) append(text);
    return entry->second;
  }
  // An entry of its own, whether or not the text is there already.
  std::uint64_t append(std::string_view text) {
    return append_as_is(escaping_ ? escape_to_utf8(text) : std::string(text));
  }
  std::uint64_t append_as_is(std::string text) {
    texts_.push_back(std::move(text));
    return texts_.size() - 1;
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  const Profile& profile_;
  std::vector<bool> used_;
  bool escaping_ = false;
  std::vector<std::uint64_t> index_;
  std::map<std::string, std::uint64_t> added_;
  std::vector<std::string> texts_;
};

class ProfileWriter {
 public:
  explicit ProfileWriter(const Profile& profile)
      : profile_(profile), layout_(lay_out(profile)), strings_(profile) {}

  std::string write() {
    use_strings();
    manifest_ = make_manifest();
    strings_.number(manifest_ && manifest_->escaped);
    write_mappings();
    write_functions();
    write_locations();
    write_samples();
    return write_head() + tables_ + samples_;
  }

 private:
  void use_strings();
  std::optional<Manifest> make_manifest() const;
  void describe_locations(Manifest& manifest) const;
  void write_mapping(std::uint64_t id, const Mapping& mapping, std::uint64_t file,
                     const MappingFlags& flags);
  void write_mappings();
  void write_functions();
  void write_locations();
  void write_samples();
  void write_labels(Message<SampleField>& sample, std::size_t index);
  void write_text_label(Message<SampleField>& sample, std::string_view key, std::uint64_t text);
  void write_number_label(Message<SampleField>& sample, std::string_view key, std::uint64_t number,
                          std::string_view unit);
  [[nodiscard]] bool says_outcome(std::size_t index) const;
  void write_value_type(Message<ProfileField>& head, ProfileField field, const ValueType& type);
  void write_comments(Message<ProfileField>& head);
  std::string write_head();

  const Profile& profile_;
  PprofLayout layout_;
  StringTable strings_;
  std::optional<Manifest> manifest_;
  std::string tables_;
  std::string samples_;
};

void ProfileWriter::use_strings() {
  for (const FunctionId id : layout_.functions) {
    const Function& function = profile_.function(id);
    for (const StringId text : {function.name, function.system_name, function.file}) {
      strings_.use(text);
    }
  }
  for (const MappingId id : layout_.mappings) {
    strings_.use(profile_.mapping(id).file);
    strings_.use(profile_.mapping(id).build_id);
  }
  for (const ValueType& type : profile_.value_types()) {
    strings_.use(type.type);
    strings_.use(type.unit);
  }
  strings_.use(profile_.default_type);
  for (const ThreadId id : profile_.samples().thread) {
    strings_.use(profile_.thread(id).comm);
    strings_.use(profile_.thread(id).name);
  }
  for (const LabelSetId id : profile_.samples().labels) {
    for (const Label& label : profile_.label_set(id)) {
      for (const StringId text : {label.key, label.text, label.unit}) strings_.use(text);
    }
  }
}

template <typename Value>
void extend(IdRanges<Value>& ranges, std::uint64_t id, Value value) {
  if (!ranges.empty() && ranges.back().last + 1 == id && ranges.back().value == value) {
    ranges.back().last = id;
  } else {
    ranges.push_back({id, id, value});
  }
}

void ProfileWriter::describe_locations(Manifest& manifest) const {
  for (std::size_t place = 0; place < layout_.locations.size(); ++place) {
    const FrameChain& chain = layout_.locations[place];
    const Frame& physical = profile_.frame(chain.back());
    const std::string_view module = profile_.text(profile_.mapping(physical.mapping).file);
    if (physical.kind != kind_of_mapping(module)) {
      extend(manifest.kinds, place + 1, physical.kind);
    }
    if (physical.tier != Tier::none) extend(manifest.tiers, place + 1, physical.tier);
    manifest.locations.add(place + 1, physical.address);
    for (const FrameId id : chain) {
      if (has_line(profile_.frame(id))) manifest.locations.add_line(profile_.frame(id).line);
    }
  }
}

// None for a profile that pprof's own fields can hold: other producers' files stay theirs.
std::optional<Manifest> ProfileWriter::make_manifest() const {
  Manifest manifest;
  manifest.run = profile_.run;
  manifest.samples = profile_.samples().size();
  describe_locations(manifest);
  manifest.escaped = strings_.any_needs_escape() || needs_escape(layout_.added_main) ||
                     std::ranges::any_of(profile_.comments, needs_escape);

  RunInfo beyond_pprof = profile_.run;
  beyond_pprof.start_unix_ns = 0;
  beyond_pprof.run_ms = 0;
  const bool has_run = run_info_to_json(beyond_pprof) != run_info_to_json(RunInfo{});
  const bool has_outcomes = std::ranges::any_of(
      profile_.samples().outcome, [](Outcome outcome) { return outcome != Outcome::unknown; });
  const bool comment_looks_like_one = std::ranges::any_of(
      profile_.comments,
      [](const std::string& comment) { return comment.starts_with(kAnyManifest); });
  if (has_run || has_outcomes || comment_looks_like_one || manifest.escaped ||
      !manifest.kinds.empty() || !manifest.tiers.empty()) {
    return manifest;
  }
  return std::nullopt;
}

void ProfileWriter::write_mapping(std::uint64_t id, const Mapping& mapping, std::uint64_t file,
                                  const MappingFlags& flags) {
  Message<ProfileField> tables(tables_);
  Message<MappingField> message(tables, ProfileField::mapping);
  put(message, MappingField::id, id);
  put(message, MappingField::memory_start, mapping.start);
  put(message, MappingField::memory_limit, mapping.limit);
  put(message, MappingField::file_offset, mapping.file_offset);
  put(message, MappingField::filename, file);
  put(message, MappingField::build_id, strings_.of(mapping.build_id));
  put(message, MappingField::has_functions, flags.functions);
  put(message, MappingField::has_filenames, flags.filenames);
  put(message, MappingField::has_line_numbers, flags.line_numbers);
  put(message, MappingField::has_inline_frames, flags.inline_frames);
}

void ProfileWriter::write_mappings() {
  if (!layout_.added_main.empty()) {
    write_mapping(1, Mapping{}, strings_.of(layout_.added_main), {.functions = true});
  }
  for (const MappingId id : layout_.mappings) {
    const Mapping& mapping = profile_.mapping(id);
    write_mapping(layout_.mapping_ids[id.index()], mapping, strings_.of(mapping.file),
                  layout_.mapping_flags[id.index()]);
  }
}

void ProfileWriter::write_functions() {
  Message<ProfileField> tables(tables_);
  for (const FunctionId id : layout_.functions) {
    const Function& function = profile_.function(id);
    Message<FunctionField> message(tables, ProfileField::function);
    put(message, FunctionField::id, layout_.function_ids[id.index()]);
    put(message, FunctionField::name, strings_.of(function.name));
    put(message, FunctionField::system_name, strings_.of(function.system_name));
    put(message, FunctionField::filename, strings_.of(function.file));
    put(message, FunctionField::start_line, function.start_line);
  }
}

void ProfileWriter::write_locations() {
  Message<ProfileField> tables(tables_);
  for (std::size_t place = 0; place < layout_.locations.size(); ++place) {
    const FrameChain& chain = layout_.locations[place];
    const Frame& physical = profile_.frame(chain.back());
    Message<LocationField> message(tables, ProfileField::location);
    put(message, LocationField::id, place + 1);
    put(message, LocationField::mapping_id, layout_.mapping_ids[physical.mapping.index()]);
    put(message, LocationField::address, physical.address);
    for (const FrameId id : chain) {
      const Frame& frame = profile_.frame(id);
      if (!has_line(frame)) continue;
      Message<LineField> line(message, LocationField::line);
      put(line, LineField::function_id, layout_.function_ids[frame.function.index()]);
      put(line, LineField::line, frame.line);
    }
  }
}

void ProfileWriter::write_text_label(Message<SampleField>& sample, std::string_view key,
                                     std::uint64_t text) {
  Message<LabelField> label(sample, SampleField::label);
  put(label, LabelField::key, strings_.of(key));
  put(label, LabelField::str, text);
}

void ProfileWriter::write_number_label(Message<SampleField>& sample, std::string_view key,
                                       std::uint64_t number, std::string_view unit) {
  Message<LabelField> label(sample, SampleField::label);
  put(label, LabelField::key, strings_.of(key));
  put(label, LabelField::num, number);
  if (!unit.empty()) put(label, LabelField::num_unit, strings_.of(unit));
}

// Absent means `complete` beside a manifest, `unknown` without. An outcome that only a later
// version knows is among the other labels, where it must stay the only one.
bool ProfileWriter::says_outcome(std::size_t index) const {
  const SampleColumns& columns = profile_.samples();
  const Outcome outcome = columns.outcome[index];
  if (outcome == Outcome::complete || !manifest_) return false;
  if (outcome != Outcome::unknown) return true;
  return std::ranges::none_of(profile_.label_set(columns.labels[index]), [&](const Label& label) {
    return profile_.text(label.key) == kOutcomeLabel;
  });
}

void ProfileWriter::write_labels(Message<SampleField>& sample, std::size_t index) {
  const SampleColumns& columns = profile_.samples();
  const Thread& thread = profile_.thread(columns.thread[index]);
  if (thread.pid != 0) write_number_label(sample, kPidLabel, thread.pid, "");
  if (thread.tid != 0) write_number_label(sample, kTidLabel, thread.tid, "");
  if (!thread.comm.is_none()) write_text_label(sample, kCommLabel, strings_.of(thread.comm));
  if (!thread.name.is_none()) write_text_label(sample, kThreadLabel, strings_.of(thread.name));
  if (columns.time_ms[index] != kNoTime) {
    write_number_label(sample, kTimeLabel, columns.time_ms[index], kTimeUnit);
  }
  if (says_outcome(index)) {
    write_text_label(sample, kOutcomeLabel, strings_.of(to_string(columns.outcome[index])));
  }
  for (const Label& other : profile_.label_set(columns.labels[index])) {
    Message<LabelField> label(sample, SampleField::label);
    label.add_uint64(LabelField::key, strings_.of(other.key));
    put(label, LabelField::str, strings_.of(other.text));
    put(label, LabelField::num, static_cast<std::uint64_t>(other.number));
    put(label, LabelField::num_unit, strings_.of(other.unit));
  }
}

void ProfileWriter::write_samples() {
  Message<ProfileField> samples(samples_);
  const SampleColumns& columns = profile_.samples();
  std::vector<std::int64_t> values;
  for (std::size_t index = 0; index < columns.size(); ++index) {
    const auto& locations = layout_.stacks.at(columns.stack[index]);
    values.clear();
    for (const std::vector<std::int64_t>& column : columns.values) values.push_back(column[index]);
    Message<SampleField> sample(samples, ProfileField::sample);
    sample.add_packed_uint64(SampleField::location_id, locations.begin(), locations.end());
    sample.add_packed_int64(SampleField::value, values.begin(), values.end());
    write_labels(sample, index);
  }
}

void ProfileWriter::write_value_type(Message<ProfileField>& head, ProfileField field,
                                     const ValueType& type) {
  Message<ValueTypeField> message(head, field);
  message.add_uint64(ValueTypeField::type, strings_.of(type.type));
  put(message, ValueTypeField::unit, strings_.of(type.unit));
}

void ProfileWriter::write_comments(Message<ProfileField>& head) {
  std::vector<std::uint64_t> comments;
  if (manifest_) {
    comments.push_back(strings_.append_as_is(manifest_comment(*manifest_)));
    comments.push_back(strings_.append_as_is(summary_comment(profile_.run)));
  }
  for (const std::string& comment : profile_.comments) comments.push_back(strings_.append(comment));
  head.add_packed_uint64(ProfileField::comment, comments.begin(), comments.end());
}

// Written last, as it holds all strings.
std::string ProfileWriter::write_head() {
  std::string bytes;
  Message<ProfileField> head(bytes);
  for (const ValueType& type : profile_.value_types()) {
    write_value_type(head, ProfileField::sample_type, type);
  }
  if (profile_.period != 0 && !profile_.value_types().empty()) {
    const ValueType& type = profile_.value_types()[profile_.default_value_index()];
    write_value_type(head, ProfileField::period_type, type);
    put(head, ProfileField::period, static_cast<std::uint64_t>(profile_.period));
  }
  put(head, ProfileField::time_nanos, static_cast<std::uint64_t>(profile_.run.start_unix_ns));
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  constexpr std::uint64_t kLongestMs = std::numeric_limits<std::int64_t>::max() / kNsPerMs;
  put(head, ProfileField::duration_nanos, std::min(profile_.run.run_ms, kLongestMs) * kNsPerMs);
  put(head, ProfileField::default_sample_type, strings_.of(profile_.default_type));
  write_comments(head);
  for (const std::string& text : strings_.texts()) {
    head.add_string(ProfileField::string_table, text);
  }
  return bytes;
}

}  // namespace

std::string write_pprof(const Profile& profile) {
  return gzip(ProfileWriter(profile).write());
}

}  // namespace perfgap
