// Files that are cut, broken or hostile: one line that says what is wrong and what to do, or what
// could be kept.
#include <gtest/gtest.h>

#include <random>

#include "model/pprof.h"
#include "tests/model/foreign_pprof.h"
#include "tests/model/profiles.h"

namespace perfgap::testing {
namespace {

using pprof::ProfileField;

// The error's one line; empty if the file was read.
std::string error_of(std::string_view file, const PprofLimits& limits = {}) {
  const Result<PprofRead> result = read_pprof(file, limits);
  if (result) return "";
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(result.error().kind, ErrorKind::failed);
  return result.error().message;
}

void expect_error(const std::string& message, std::string_view cause, std::string_view remedy) {
  EXPECT_NE(message.find(cause), std::string::npos) << message;
  EXPECT_NE(message.find(remedy), std::string::npos) << message;
}

constexpr std::string_view kGiveAnother = "; give the profile.pb.gz of a run";
constexpr std::string_view kTakeAnother = "; take another copy of the file";

// What is no profile at all is named, with what to give instead.
TEST(PprofBadInput, WhatIsNoProfile) {
  expect_error(error_of(""), "empty file", kGiveAnother);
  expect_error(error_of("main;work 12\n"), "not a gzip file", kGiveAnother);
  expect_error(error_of(std::string(100, '\0')), "not a gzip file", kGiveAnother);
  expect_error(error_of(gzip("main;work 12\n")), "gzip, but not of a pprof profile", kGiveAnother);
  expect_error(error_of(gzip("{\"a\": 1}")), "gzip, but not of a pprof profile", kGiveAnother);
  expect_error(error_of(gzip(std::string(1 << 20, '\0'))), "gzip, but not of a pprof profile",
               kGiveAnother);
  expect_error(error_of(gzip("")), "string table", kTakeAnother);
}

// Damage within the gzip data is told from a missing tail.
TEST(PprofBadInput, DamagedGzip) {
  std::string file = write_pprof(large_profile(200, 20, 10));
  file[file.size() / 2] = static_cast<char>(~file[file.size() / 2]);
  expect_error(error_of(file), "damaged: ", kTakeAnother);
  std::string padded = write_pprof(large_profile(20, 20, 10)) + std::string(512, '\0');
  expect_error(error_of(padded), "damaged: its gzip data goes wrong near byte", kTakeAnother);
}

// Several gzip members in a row are one file, as gzip has it.
TEST(PprofBadInput, GzipMembersAreJoined) {
  ForeignPprof file;
  file.type("samples", "count").sample({}, {5});
  const std::string fields = file.fields();
  const std::string members = gzip(fields.substr(0, 7)) + gzip(fields.substr(7));
  const Result<PprofRead> result = read_pprof(members);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->profile.total(0), 5);
}

std::vector<std::string> sample_lines(const Profile& profile) {
  std::vector<std::string> lines;
  std::istringstream text(describe(profile));
  for (std::string line; std::getline(text, line);) {
    if (line.find(" t=") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

// Wherever a file is cut, what is kept are whole samples from its front, and they are counted.
TEST(PprofTruncated, KeepsWholeSamples) {
  const Profile profile = large_profile(4000, 200, 30);
  const std::vector<std::string> whole = sample_lines(profile);
  const std::string file = write_pprof(profile);
  std::size_t kept_before = 0;
  bool some_kept = false;
  for (std::size_t size = 2; size < file.size(); size += file.size() / 40) {
    const Result<PprofRead> result = read_pprof(std::string_view(file).substr(0, size));
    if (!result) {
      EXPECT_FALSE(some_kept) << "a longer file keeps less";
      expect_error(result.error().message, "truncated after ", kTakeAnother);
      continue;
    }
    some_kept = true;
    const std::vector<std::string> kept = sample_lines(result->profile);
    ASSERT_LE(kept.size(), whole.size());
    EXPECT_GE(kept.size(), kept_before);
    EXPECT_TRUE(std::equal(kept.begin(), kept.end(), whole.begin()));
    EXPECT_EQ(result->profile.samples().size(), kept.size());
    kept_before = kept.size();
  }
  EXPECT_GT(kept_before, whole.size() * 9 / 10);
}

// The warning names how far the file goes and how many samples of how many are left.
TEST(PprofTruncated, WarningCounts) {
  Profile profile = large_profile(4000, 200, 30);
  profile.run = full_run();
  const std::string file = write_pprof(profile);
  const std::string cut = file.substr(0, file.size() - 20);
  const Result<PprofRead> result = read_pprof(cut);
  ASSERT_TRUE(result) << result.error().message;
  const std::size_t kept = result->profile.samples().size();
  EXPECT_LT(kept, profile.samples().size());
  EXPECT_GE(kept, 1000U);
  const auto commas = [](std::size_t n) {
    std::string text = std::to_string(n % 1000);
    return std::to_string(n / 1000) + "," + std::string(3 - text.size(), '0') + text;
  };
  EXPECT_EQ(result->warning, "truncated after " + commas(cut.size()) + " bytes; " + commas(kept) +
                                 " of " + commas(profile.samples().size()) + " whole samples kept");
  EXPECT_EQ(result->profile.run.host, "web-1");
}

// A missing gzip trailer loses no sample, and is still told.
TEST(PprofTruncated, OnlyTheTrailer) {
  const Profile profile = large_profile(50, 20, 10);
  const std::string file = write_pprof(profile);
  const Result<PprofRead> result = read_pprof(file.substr(0, file.size() - 4));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(describe(result->profile), describe(profile));
  EXPECT_NE(result->warning.find("truncated after "), std::string::npos);
}

// Cut before it was compressed: the last field says how long the file should have been.
TEST(PprofTruncated, BeforeCompression) {
  ForeignPprof file;
  file.type("samples", "count").sample({}, {1});
  const std::string whole = file.fields() + std::string("\x12\x7f", 2);  // a sample of 127 bytes
  const Result<PprofRead> result = read_pprof(gzip(whole + "abc"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->warning, "truncated after " + std::to_string(whole.size() + 3) +
                                 " of at least " + std::to_string(whole.size() + 127) +
                                 " bytes unpacked; 1 whole samples kept");
}

// Other programs write samples before the tables: cut, such a file has nothing to keep.
TEST(PprofTruncated, WithoutTables) {
  ForeignPprof file;
  file.type("samples", "count").sample({1}, {1}).sample({1}, {2});
  file.mapping(1, "/app").function(1, "f").location(1, 1, 0x10, {1});
  const std::string whole = file.file();
  expect_error(error_of(whole.substr(0, whole.size() - 12)), "before its first whole sample",
               kTakeAnother);
}

ForeignPprof sound() {
  ForeignPprof file;
  file.type("samples", "count").mapping(1, "/app").function(1, "f").location(1, 1, 0x10, {1});
  return file;
}

// Ids, indices and counts that lead nowhere are named.
TEST(PprofBadInput, DanglingReferences) {
  ASSERT_EQ(error_of(sound().sample({1}, {1}).file()), "");
  expect_error(error_of(sound().sample({9}, {1}).file()), "location 9 is named, but not in",
               kTakeAnother);
  expect_error(error_of(sound().location(2, 9, 0, {}).file()), "mapping 9 is named, but not in",
               kTakeAnother);
  expect_error(error_of(sound().location(2, 1, 0, {9}).file()), "function 9 is named, but not in",
               kTakeAnother);
  expect_error(error_of(sound().message(ProfileField::function, {{1, 2}, {2, 99}}).file()),
               "string 99 is asked for", kTakeAnother);
  expect_error(error_of(sound().number(ProfileField::comment, 1ULL << 40).file()),
               "string 1,099,511,627,776 is asked for", kTakeAnother);
  expect_error(error_of(sound().number(ProfileField::default_sample_type, 77).file()),
               "string 77 is asked for", kTakeAnother);
  expect_error(error_of(sound().mapping(0, "x").file()), "a mapping has no id", kTakeAnother);
  expect_error(error_of(sound().function(1, "again").file()), "two functions have the id 1",
               kTakeAnother);
  expect_error(error_of(sound().location(1, 1, 0, {}).file()), "two locations have the id 1",
               kTakeAnother);
}

// Each sample has one value for each sample type, and totals fit in 64 bits.
TEST(PprofBadInput, Values) {
  expect_error(error_of(sound().sample({1}, {1}).sample({1}, {1, 2}).file()),
               "sample 2 does not have one value for each of 1 sample types", kTakeAnother);
  expect_error(error_of(sound().sample({1}, {}).file()), "sample 1 does not have", kTakeAnother);
  expect_error(error_of(sound().sample({1}, {INT64_MAX}).sample({1}, {1}).file()),
               "more than 64 bits", kTakeAnother);
  expect_error(error_of(sound().sample({1}, {INT64_MIN}).file()), "more than 64 bits",
               kTakeAnother);
}

// Numbers that never end and messages that end too early are refused.
TEST(PprofBadInput, MalformedFields) {
  expect_error(error_of(gzip(sound().fields() + std::string(12, '\xff'))),
               "damaged: what stands at unpacked byte ", kTakeAnother);
  const std::string location("\x22\x03\x08\xff\xff", 5);  // its id does not end
  expect_error(error_of(gzip(sound().fields() + location)), "a field is malformed", kTakeAnother);
  const std::string group("\x12\x02\x0b\x01", 4);  // a wire type that is no more
  expect_error(error_of(gzip(sound().fields() + group)), "a field is malformed", kTakeAnother);
}

// A manifest that cannot be read is named, and so is one of a later version.
TEST(PprofBadInput, Manifest) {
  expect_error(error_of(sound().comment("perfgap:1 {").file()), "manifest: not a JSON object",
               kTakeAnother);
  expect_error(error_of(sound().comment("perfgap:1 {\"host\":3}").file()), "'host'", kTakeAnother);
  expect_error(error_of(sound().comment("perfgap:1 {\"kinds\":{\"jit\":[[1]]}}").file()), "'kinds'",
               kTakeAnother);
  expect_error(error_of(sound().comment("perfgap:2 {}").file()), "later version",
               "update this program");
}

// A small file that unpacks to a huge one is refused before it does.
TEST(PprofBadInput, DecompressionBomb) {
  const PprofLimits limits{.uncompressed_bytes = 1 << 20};
  const std::string bomb = sound().sample({1}, {1}).comment(std::string(8 << 20, 'x')).file();
  EXPECT_LT(bomb.size(), 20'000U);
  expect_error(error_of(bomb, limits), "unpacks to more than 1,048,576", "record a shorter run");
  std::string many;
  for (int i = 0; i < 400'000; ++i) many += std::string("\x32\x02hi", 4);
  expect_error(error_of(gzip(sound().fields() + many), limits), "unpacks to more than 1,048,576",
               "record a shorter run");
}

// A small file whose stacks multiply is refused too.
TEST(PprofBadInput, MultiplyingStacks) {
  ForeignPprof file = sound();
  file.location(2, 1, 0x20, std::vector<std::uint64_t>(1000, 1));
  file.sample(std::vector<std::uint64_t>(1000, 2), {1});
  expect_error(error_of(file.file(), {.frames = 900'000}), "has more frames", "shorter run");
  expect_error(error_of(file.file(), {.entries = 900'000}), "has more entries", "shorter run");
  EXPECT_EQ(error_of(file.file()), "");
}

// Whatever a byte of the file becomes, reading ends with a profile that can be saved, or an error.
TEST(PprofBadInput, AnyChangedByte) {
  const std::string fields = [] {
    std::string bytes;
    const std::string file = write_pprof(rich_profile());
    Gunzip gunzip(file);
    while (gunzip.next(bytes) == Gunzip::State::more) {
    }
    return bytes;
  }();
  std::mt19937 random(3);
  std::size_t survivors = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = fields;
    for (auto n = 1 + random() % 3; n > 0; --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const Result<PprofRead> result = read_pprof(gzip(bytes));
    if (!result) {
      EXPECT_FALSE(result.error().message.empty());
      continue;
    }
    ++survivors;
    const std::string saved = write_pprof(result->profile);
    const Result<PprofRead> again = read_pprof(saved);
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_TRUE(describe(again->profile) == describe(result->profile)) << "round " << round;
    ASSERT_TRUE(write_pprof(again->profile) == saved) << "round " << round;
  }
  EXPECT_GT(survivors, 100U);
  EXPECT_LT(survivors, 2000U);
}

}  // namespace
}  // namespace perfgap::testing
