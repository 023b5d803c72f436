// File -> profile. Every id, index and count of the file is checked before use, and growth is
// charged to a budget.
#include <array>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "model/manifest.h"
#include "model/pprof.h"
#include "model/pprof_input.h"
#include "model/pprof_tables.h"

namespace perfgap {
namespace {

using namespace pprof;  // the field numbers: every message below names them

constexpr std::size_t kBytesPerEntry = 16;        // of text, when the budget is charged for it
constexpr std::size_t kDeepestStack = 1'000'000;  // in locations

// What a file says outside its tables and samples.
struct Head {
  std::vector<std::string_view> sample_types;
  std::optional<std::string_view> period_type;
  std::int64_t period = 0;
  std::int64_t time_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint64_t default_type = 0;
  std::vector<std::uint64_t> comments;
};

Head read_head(std::string_view fields, Budget& budget) {
  Head head;
  const auto view = [](InputMessage<ProfileField>& message) {
    const protozero::data_view bytes = message.get_view();
    return std::string_view(bytes.data(), bytes.size());
  };
  InputMessage<ProfileField> message(protozero::data_view(fields.data(), fields.size()));
  while (message.next()) {
    switch (message.tag()) {
      case ProfileField::sample_type:
        budget.charge_entries(1);
        head.sample_types.push_back(view(message));
        break;
      case ProfileField::period_type:
        head.period_type = view(message);
        break;
      case ProfileField::period:
        head.period = message.get_int64();
        break;
      case ProfileField::time_nanos:
        head.time_ns = message.get_int64();
        break;
      case ProfileField::duration_nanos:
        head.duration_ns = message.get_int64();
        break;
      case ProfileField::default_sample_type:
        head.default_type = message.get_uint64();
        break;
      case ProfileField::comment:
        each_number(message, [&](std::uint64_t index) {
          budget.charge_entries(1);
          head.comments.push_back(index);
        });
        break;
      default:
        message.skip();
    }
  }
  return head;
}

class ProfileReader {
 public:
  ProfileReader(std::string_view fields, const PprofLimits& limits)
      : fields_(fields),
        budget_(limits),
        head_(read_head(fields, budget_)),
        strings_(fields, profile_, budget_),
        tables_(profile_, strings_, budget_) {}

  // Throws BadFile and protozero's exceptions.
  PprofRead read(const std::string& truncation);

 private:
  void read_comments();
  ValueType read_value_type(std::string_view bytes);
  void read_types();
  void read_run();
  void read_sample(std::string_view bytes);
  void read_sample_fields(std::string_view bytes);
  void read_label(std::string_view bytes);
  bool take_known_label(std::string_view key, const Label& label);
  void add_stack(std::uint64_t location);
  void check_values();
  [[nodiscard]] std::string warning(const std::string& truncation) const;

  std::string_view fields_;
  Budget budget_;
  Profile profile_;
  Head head_;
  InputStrings strings_;
  InputTables tables_;
  std::optional<Manifest> manifest_;

  // The sample that is being read.
  Sample sample_;
  Thread thread_;
  bool has_outcome_ = false;
  std::vector<std::uint64_t> locations_;
  std::vector<Label> labels_;
  std::vector<std::uint64_t> magnitudes_;  // of all values so far, by column
};

// Drops the manifest and its summary from the comments.
void ProfileReader::read_comments() {
  for (const std::uint64_t index : head_.comments) {
    const std::string_view comment = strings_.raw(index);
    if (manifest_ || !comment.starts_with(kAnyManifest)) continue;
    Result<Manifest> manifest = manifest_from_comment(comment);
    if (!manifest) throw BadFile(manifest.error().message);
    manifest_ = *std::move(manifest);
    strings_.set_escaped(manifest_->escaped);
  }
  bool manifest_passed = false;
  bool after_manifest = false;
  for (const std::uint64_t index : head_.comments) {
    const std::string_view comment = strings_.raw(index);
    if (!manifest_passed && comment.starts_with(kAnyManifest)) {
      manifest_passed = after_manifest = true;
      continue;
    }
    const bool is_summary =
        std::exchange(after_manifest, false) && comment.starts_with(kSummaryPrefix);
    if (is_summary) continue;
    // Many comments may name one long string.
    budget_.charge_entries(comment.size() / kBytesPerEntry);
    profile_.comments.push_back(strings_.text(index));
  }
}

ValueType ProfileReader::read_value_type(std::string_view bytes) {
  ValueType type;
  each_varint<ValueTypeField>(bytes, [&](ValueTypeField field, std::uint64_t value) {
    if (field == ValueTypeField::type) type.type = strings_.id(value);
    if (field == ValueTypeField::unit) type.unit = strings_.id(value);
  });
  return type;
}

void ProfileReader::read_types() {
  std::vector<ValueType> types;
  for (const std::string_view bytes : head_.sample_types) {
    types.push_back(read_value_type(bytes));
  }
  profile_.set_value_types(types);
  magnitudes_.resize(types.size());
  profile_.default_type = strings_.id(head_.default_type);
  if (!head_.period_type || types.empty()) return;
  // A period in another unit than the default column's says nothing about the distance of samples.
  if (read_value_type(*head_.period_type).unit == types[profile_.default_value_index()].unit) {
    profile_.period = head_.period;
  }
}

void ProfileReader::read_run() {
  if (manifest_) {
    profile_.run = manifest_->run;
    return;
  }
  constexpr std::int64_t kNsPerMs = 1'000'000;
  profile_.run.start_unix_ns = head_.time_ns;
  if (head_.duration_ns > 0) {
    profile_.run.run_ms = static_cast<std::uint64_t>(head_.duration_ns / kNsPerMs);
  }
}

// Takes what the columns have a place for; false: the label is one of the others.
bool ProfileReader::take_known_label(std::string_view key, const Label& label) {
  const bool is_text = !label.text.is_none();
  const bool is_plain_number = !is_text && label.unit.is_none() && label.number > 0;
  if (key == kPidLabel && is_plain_number && thread_.pid == 0) {
    thread_.pid = static_cast<std::uint64_t>(label.number);
  } else if (key == kTidLabel && is_plain_number && thread_.tid == 0) {
    thread_.tid = static_cast<std::uint64_t>(label.number);
  } else if (key == kCommLabel && is_text && thread_.comm.is_none()) {
    thread_.comm = label.text;
  } else if (key == kThreadLabel && is_text && thread_.name.is_none()) {
    thread_.name = label.text;
  } else if (key == kTimeLabel && !is_text && profile_.text(label.unit) == kTimeUnit &&
             label.number >= 0 && label.number < kNoTime && sample_.time_ms == kNoTime) {
    sample_.time_ms = static_cast<std::uint32_t>(label.number);
  } else if (key == kOutcomeLabel && is_text && !has_outcome_) {
    has_outcome_ = true;
    const auto outcome = outcome_from(profile_.text(label.text));
    sample_.outcome = outcome.value_or(Outcome::unknown);
    return outcome.has_value();
  } else {
    return false;
  }
  return true;
}

void ProfileReader::read_label(std::string_view bytes) {
  Label label;
  each_varint<LabelField>(bytes, [&](LabelField field, std::uint64_t value) {
    if (field == LabelField::key) label.key = strings_.id(value);
    if (field == LabelField::str) label.text = strings_.id(value);
    if (field == LabelField::num) label.number = static_cast<std::int64_t>(value);
    if (field == LabelField::num_unit) label.unit = strings_.id(value);
  });
  if (take_known_label(profile_.text(label.key), label)) return;
  budget_.charge_entries(1);
  labels_.push_back(label);
}

// Locations come leaf first, the trie grows from the root.
void ProfileReader::add_stack(std::uint64_t location) {
  const std::span<const FrameId> frames = tables_.frames_of(location);
  budget_.charge_frames(frames.size());
  for (std::size_t i = frames.size(); i-- > 0;) {
    const std::size_t before = profile_.stack_count();
    sample_.stack = profile_.intern(StackNode{sample_.stack, frames[i]});
    budget_.charge_entries(profile_.stack_count() - before);
  }
}

void ProfileReader::check_values() {
  const std::size_t columns = profile_.value_types().size();
  if (sample_.values.size() != columns) {
    throw damaged("sample " + with_commas(profile_.samples().size() + 1) +
                  " does not have one value for each of " + with_commas(columns) + " sample types");
  }
  for (std::size_t column = 0; column < columns; ++column) {
    const auto value = static_cast<std::uint64_t>(sample_.values[column]);
    const std::uint64_t magnitude = sample_.values[column] < 0 ? 0 - value : value;
    magnitudes_[column] += magnitude;
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (magnitude > kMost || magnitudes_[column] > kMost) {
      throw damaged("the values of one sample type add up to more than 64 bits hold");
    }
  }
}

void ProfileReader::read_sample(std::string_view bytes) {
  budget_.charge_entries(1);
  sample_ = {};
  sample_.outcome = manifest_ ? Outcome::complete : Outcome::unknown;
  thread_ = {};
  has_outcome_ = false;
  locations_.clear();
  labels_.clear();
  read_sample_fields(bytes);
  check_values();
  for (std::size_t i = locations_.size(); i-- > 0;) add_stack(locations_[i]);
  sample_.thread = profile_.intern(thread_);
  sample_.labels = profile_.intern(labels_);
  profile_.add(sample_);
}

void ProfileReader::read_sample_fields(std::string_view bytes) {
  InputMessage<SampleField> message(protozero::data_view(bytes.data(), bytes.size()));
  while (message.next()) {
    if (message.tag() == SampleField::location_id) {
      each_number(message, [&](std::uint64_t id) {
        if (locations_.size() == kDeepestStack) throw damaged("a stack is absurdly deep");
        locations_.push_back(id);
      });
    } else if (message.tag() == SampleField::value) {
      each_number(message, [&](std::uint64_t value) {
        // One too many is enough for check_values() to see.
        if (sample_.values.size() > profile_.value_types().size()) return;
        sample_.values.push_back(static_cast<std::int64_t>(value));
      });
    } else if (message.tag() == SampleField::label && message.wire_type() == kBytes) {
      const protozero::data_view label = message.get_view();
      read_label({label.data(), label.size()});
    } else {
      message.skip();
    }
  }
}

std::string ProfileReader::warning(const std::string& truncation) const {
  std::string line = truncation;
  if (!line.empty()) {
    line += "; " + with_commas(profile_.samples().size());
    if (manifest_) line += " of " + with_commas(manifest_->samples);
    line += " whole samples kept";
  }
  if (tables_.dropped_kinds()) {
    if (!line.empty()) line += "; ";
    line += "another program rewrote this file: frame kinds and compilation tiers are lost";
  }
  return line;
}

PprofRead ProfileReader::read(const std::string& truncation) {
  read_comments();
  strings_.intern_all_but(head_.comments);
  read_run();
  read_types();
  tables_.read(fields_, manifest_ ? &*manifest_ : nullptr);
  each_message(fields_, ProfileField::sample, [&](std::string_view bytes) { read_sample(bytes); });
  if (!truncation.empty() && profile_.samples().size() == 0) throw BadFile("no sample");
  std::string lost = warning(truncation);
  return {std::move(profile_), std::move(lost)};
}

}  // namespace

Result<PprofRead> read_pprof(std::string_view bytes, const PprofLimits& limits) {
  std::string truncation;
  try {
    const Unpacked unpacked = unpack(bytes, limits);
    truncation = unpacked.truncation;
    return ProfileReader(unpacked.fields, limits).read(truncation);
  } catch (const BadFile& bad) {
    if (truncation.empty()) return fail(bad.what());
  } catch (const protozero::exception&) {
    if (truncation.empty()) return fail(damaged("a field is malformed").what());
  } catch (const std::bad_alloc&) {
    return fail("needs more memory than there is; free some, or record a shorter run");
  }
  return fail(truncation + ", before its first whole sample; take another copy of the file");
}

}  // namespace perfgap
