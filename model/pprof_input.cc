// Shared parts of the pprof reader: see pprof_input.h.
#include "model/pprof_input.h"

#include "model/utf8.h"

namespace perfgap::pprof {

void Budget::charge(std::size_t& left, std::size_t count, const char* what) {
  if (count > left) {
    throw BadFile(std::string("has more ") + what +
                  " than this program takes in; record a shorter run or fewer processes");
  }
  left -= count;
}

InputStrings::InputStrings(std::string_view profile_fields, Profile& profile, Budget& budget)
    : profile_(profile) {
  each_message(profile_fields, ProfileField::string_table, [&](std::string_view text) {
    budget.charge_entries(1);
    texts_.push_back(text);
  });
  if (texts_.empty() || !texts_.front().empty()) {
    throw damaged("its string table does not begin with the empty string, as pprof's do");
  }
  ids_.resize(texts_.size());
}

std::string_view InputStrings::raw(std::uint64_t index) const {
  if (index >= texts_.size()) {
    throw damaged("string " + with_commas(index) + " is asked for, but there are only " +
                  with_commas(texts_.size()));
  }
  return texts_[index];
}

std::string InputStrings::text(std::uint64_t index) const {
  return escaped_ ? unescape_from_utf8(raw(index)) : std::string(raw(index));
}

StringId InputStrings::id(std::uint64_t index) {
  const std::string_view as_stored = raw(index);
  std::optional<StringId>& id = ids_[index];
  if (!id) id = profile_.intern(escaped_ ? unescape_from_utf8(as_stored) : as_stored);
  return *id;
}

void InputStrings::intern_all_but(const std::vector<std::uint64_t>& skipped) {
  std::vector<bool> skip(texts_.size());
  for (const std::uint64_t index : skipped) skip[index] = true;
  for (std::size_t index = 0; index < texts_.size(); ++index) {
    if (!skip[index]) id(index);
  }
}

}  // namespace perfgap::pprof
