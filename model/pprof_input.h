// What the parts of the pprof reader share: fields of a message, the file's strings, and the budget
// for hostile input.
#pragma once

#include <cstdint>
#include <optional>
#include <protozero/pbf_message.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/pprof.h"
#include "model/pprof_unpack.h"
#include "model/pprof_wire.h"
#include "model/profile.h"

namespace perfgap::pprof {

template <typename Field>
using InputMessage = protozero::pbf_message<Field>;

inline constexpr auto kVarint = protozero::pbf_wire_type::varint;
inline constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;

// Calls `take` with the bytes of each of the profile's fields of one kind, whose type unpack() has
// checked.
template <typename Take>
void each_message(std::string_view profile_fields, ProfileField field, Take take) {
  InputMessage<ProfileField> profile(
      protozero::data_view(profile_fields.data(), profile_fields.size()));
  while (profile.next(field)) {
    const protozero::data_view view = profile.get_view();
    take(std::string_view(view.data(), view.size()));
  }
}

// Calls `take` with each number of a repeated field, packed or not.
template <typename Field, typename Take>
void each_number(InputMessage<Field>& message, Take take) {
  if (message.wire_type() == kBytes) {
    for (const std::uint64_t number : message.get_packed_uint64()) take(number);
  } else if (message.wire_type() == kVarint) {
    take(message.get_uint64());
  } else {
    message.skip();
  }
}

// Reads a message all of whose wanted fields are numbers; others are skipped.
template <typename Field, typename Take>
void each_varint(std::string_view bytes, Take take) {
  InputMessage<Field> message(protozero::data_view(bytes.data(), bytes.size()));
  while (message.next()) {
    if (message.wire_type() == kVarint) {
      take(message.tag(), message.get_uint64());
    } else {
      message.skip();
    }
  }
}

class Budget {
 public:
  explicit Budget(const PprofLimits& limits) : entries_(limits.entries), frames_(limits.frames) {}

  void charge_entries(std::size_t count) { charge(entries_, count, "entries"); }
  void charge_frames(std::size_t count) { charge(frames_, count, "frames"); }

 private:
  static void charge(std::size_t& left, std::size_t count, const char* what);

  std::size_t entries_;
  std::size_t frames_;
};

// The string table; texts enter the profile when they are asked for.
class InputStrings {
 public:
  InputStrings(std::string_view profile_fields, Profile& profile, Budget& budget);

  void set_escaped(bool escaped) { escaped_ = escaped; }
  [[nodiscard]] std::string_view raw(std::uint64_t index) const;
  [[nodiscard]] std::string text(std::uint64_t index) const;
  StringId id(std::uint64_t index);
  // Interns all but `skipped`, in file order, so that ids have that order too.
  void intern_all_but(const std::vector<std::uint64_t>& skipped);

 private:
  Profile& profile_;
  bool escaped_ = false;
  std::vector<std::string_view> texts_;
  std::vector<std::optional<StringId>> ids_;
};

}  // namespace perfgap::pprof
