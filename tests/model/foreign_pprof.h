// Builds pprof files as other programs write them, or as nobody should.
#pragma once

#include <cstdint>
#include <protozero/pbf_builder.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/gzip.h"
#include "model/pprof_wire.h"

namespace perfgap::testing {

class ForeignPprof {
 public:
  // Index in the string table.
  std::uint64_t text(std::string_view text) {
    for (std::size_t i = 0; i < strings_.size(); ++i) {
      if (strings_[i] == text) return i;
    }
    strings_.emplace_back(text);
    return strings_.size() - 1;
  }

  ForeignPprof& type(std::string_view type, std::string_view unit) {
    return message(pprof::ProfileField::sample_type, {{1, text(type)}, {2, text(unit)}});
  }
  ForeignPprof& mapping(std::uint64_t id, std::string_view file) {
    return message(pprof::ProfileField::mapping,
                   {{1, id}, {2, 0x1000}, {3, 0x2000}, {5, text(file)}});
  }
  ForeignPprof& function(std::uint64_t id, std::string_view name) {
    return message(pprof::ProfileField::function, {{1, id}, {2, text(name)}});
  }
  // Lines are function ids, innermost first; their line numbers are 10, 20, ...
  ForeignPprof& location(std::uint64_t id, std::uint64_t mapping, std::uint64_t address,
                         const std::vector<std::uint64_t>& lines) {
    protozero::pbf_builder<pprof::ProfileField> profile(fields_);
    protozero::pbf_builder<pprof::LocationField> location(profile, pprof::ProfileField::location);
    location.add_uint64(pprof::LocationField::id, id);
    location.add_uint64(pprof::LocationField::mapping_id, mapping);
    location.add_uint64(pprof::LocationField::address, address);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      protozero::pbf_builder<pprof::LineField> line(location, pprof::LocationField::line);
      line.add_uint64(pprof::LineField::function_id, lines[i]);
      line.add_uint64(pprof::LineField::line, (i + 1) * 10);
    }
    return *this;
  }

  struct NumberLabel {
    std::string_view key;
    std::int64_t number;
    std::string_view unit;
  };
  struct TextLabel {
    std::string_view key;
    std::string_view text;
  };
  ForeignPprof& sample(const std::vector<std::uint64_t>& locations,
                       const std::vector<std::int64_t>& values,
                       const std::vector<TextLabel>& texts = {},
                       const std::vector<NumberLabel>& numbers = {}) {
    protozero::pbf_builder<pprof::ProfileField> profile(fields_);
    protozero::pbf_builder<pprof::SampleField> sample(profile, pprof::ProfileField::sample);
    // One by one: the older encoding of repeated numbers, which readers must know too.
    for (const std::uint64_t id : locations) sample.add_uint64(pprof::SampleField::location_id, id);
    for (const std::int64_t value : values) sample.add_int64(pprof::SampleField::value, value);
    for (const TextLabel& label : texts) {
      protozero::pbf_builder<pprof::LabelField> message(sample, pprof::SampleField::label);
      message.add_uint64(pprof::LabelField::key, text(label.key));
      message.add_uint64(pprof::LabelField::str, text(label.text));
    }
    for (const NumberLabel& label : numbers) {
      protozero::pbf_builder<pprof::LabelField> message(sample, pprof::SampleField::label);
      message.add_uint64(pprof::LabelField::key, text(label.key));
      message.add_int64(pprof::LabelField::num, label.number);
      message.add_uint64(pprof::LabelField::num_unit, text(label.unit));
    }
    return *this;
  }

  struct Number {
    std::uint32_t field;
    std::uint64_t value;
  };
  ForeignPprof& message(pprof::ProfileField field, const std::vector<Number>& numbers) {
    protozero::pbf_writer profile(fields_);
    protozero::pbf_writer message(profile, static_cast<protozero::pbf_tag_type>(field));
    for (const Number& number : numbers) message.add_uint64(number.field, number.value);
    return *this;
  }
  ForeignPprof& number(pprof::ProfileField field, std::uint64_t value) {
    protozero::pbf_writer(fields_).add_uint64(static_cast<protozero::pbf_tag_type>(field), value);
    return *this;
  }
  ForeignPprof& comment(std::string_view comment) {
    return number(pprof::ProfileField::comment, text(comment));
  }

  // The string table last, as others have it.
  [[nodiscard]] std::string fields() const {
    std::string bytes = fields_;
    protozero::pbf_builder<pprof::ProfileField> profile(bytes);
    for (const std::string& text : strings_) {
      profile.add_string(pprof::ProfileField::string_table, text);
    }
    return bytes;
  }
  [[nodiscard]] std::string file() const { return gzip(fields()); }

 private:
  std::vector<std::string> strings_ = {""};
  std::string fields_;
};

}  // namespace perfgap::testing
