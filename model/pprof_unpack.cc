// The outer layer of a profile file: see pprof_unpack.h.
#include "model/pprof_unpack.h"

#include <protozero/exception.hpp>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>

#include "model/gzip.h"
#include "model/pprof_wire.h"

namespace perfgap::pprof {
namespace {

using protozero::pbf_wire_type;

constexpr const char* kExpected =
    "; give the profile.pb.gz of a run, or another profile that 'go tool pprof' opens";

bool has_right_type(std::uint64_t field, pbf_wire_type type) {
  switch (static_cast<ProfileField>(field)) {
    case ProfileField::sample_type:
    case ProfileField::sample:
    case ProfileField::mapping:
    case ProfileField::location:
    case ProfileField::function:
    case ProfileField::string_table:
    case ProfileField::period_type:
      return type == pbf_wire_type::length_delimited;
    case ProfileField::time_nanos:
    case ProfileField::duration_nanos:
    case ProfileField::period:
    case ProfileField::default_sample_type:
      return type == pbf_wire_type::varint;
    case ProfileField::comment:
      return type == pbf_wire_type::varint || type == pbf_wire_type::length_delimited;
  }
  return type == pbf_wire_type::varint || type == pbf_wire_type::length_delimited ||
         type == pbf_wire_type::fixed32 || type == pbf_wire_type::fixed64;
}

BadFile too_large(std::size_t limit) {
  return BadFile("unpacks to more than " + with_commas(limit) +
                 " bytes, refused to protect this machine's memory; record a shorter run or fewer "
                 "processes");
}

// Finds where the last whole field ends, as the bytes come in.
class FieldScan {
 public:
  explicit FieldScan(std::size_t limit) : limit_(limit) {}

  void advance(std::string_view bytes) {
    try {
      while (end_ < bytes.size() && pass_field(bytes)) {
      }
    } catch (const protozero::end_of_buffer_exception&) {
      return;  // the rest of this number is still to come
    } catch (const protozero::varint_too_long_exception&) {
      refuse();
    }
  }

  [[nodiscard]] std::size_t end() const { return end_; }
  // Where the field that is not whole would end, as far as it says.
  [[nodiscard]] std::uint64_t expected_end() const { return expected_end_; }

 private:
  [[noreturn]] void refuse() const {
    if (is_profile_) {
      throw damaged("what stands at unpacked byte " + with_commas(end_) + " is no field");
    }
    throw BadFile(std::string("gzip, but not of a pprof profile") + kExpected);
  }

  bool pass_field(std::string_view bytes) {
    const char* at = bytes.data() + end_;
    const char* const stop = bytes.data() + bytes.size();
    const std::uint64_t tag = protozero::decode_varint(&at, stop);
    const auto type = static_cast<pbf_wire_type>(tag & 7);
    const std::uint64_t field = tag >> 3;
    constexpr std::uint64_t kMostFields = (1U << 29) - 1;
    if (field == 0 || field > kMostFields || !has_right_type(field, type)) refuse();

    std::uint64_t length = 0;
    if (type == pbf_wire_type::varint) {
      protozero::decode_varint(&at, stop);
    } else if (type == pbf_wire_type::length_delimited) {
      length = protozero::decode_varint(&at, stop);
    } else {
      length = type == pbf_wire_type::fixed32 ? 4 : 8;
    }
    const auto begin = static_cast<std::size_t>(at - bytes.data());
    if (length > limit_) {
      if (is_profile_) throw too_large(limit_);
      refuse();
    }
    expected_end_ = begin + length;
    if (expected_end_ > bytes.size()) return false;
    end_ = begin + static_cast<std::size_t>(length);
    is_profile_ |= field == static_cast<std::uint64_t>(ProfileField::sample_type);
    return true;
  }

  std::size_t limit_;
  std::size_t end_ = 0;
  std::uint64_t expected_end_ = 0;
  bool is_profile_ = false;  // all producers begin with a sample type
};

}  // namespace

BadFile damaged(const std::string& cause) {
  return BadFile("damaged: " + cause + "; take another copy of the file");
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

Unpacked unpack(std::string_view file, const PprofLimits& limits) {
  if (file.empty()) throw BadFile(std::string("empty file") + kExpected);
  if (!looks_like_gzip(file)) throw BadFile(std::string("not a gzip file") + kExpected);

  Unpacked unpacked;
  Gunzip gunzip(file);
  FieldScan scan(limits.uncompressed_bytes);
  Gunzip::State state = Gunzip::State::more;
  while (state == Gunzip::State::more) {
    state = gunzip.next(unpacked.fields);
    if (unpacked.fields.size() > limits.uncompressed_bytes) {
      throw too_large(limits.uncompressed_bytes);
    }
    scan.advance(unpacked.fields);
  }
  if (state == Gunzip::State::damaged) {
    throw damaged("its gzip data goes wrong near byte " + with_commas(gunzip.position()));
  }
  const std::size_t size = unpacked.fields.size();
  if (state == Gunzip::State::truncated) {
    unpacked.truncation = "truncated after " + with_commas(file.size()) + " bytes";
  } else if (scan.end() < size) {
    unpacked.truncation = "truncated after " + with_commas(size) + " of at least " +
                          with_commas(std::max<std::uint64_t>(scan.expected_end(), size + 1)) +
                          " bytes unpacked";
  }
  unpacked.fields.resize(scan.end());
  return unpacked;
}

}  // namespace perfgap::pprof
