// The file: what goes in comes out, and what other programs wrote is understood.
#include "model/pprof.h"

#include <gtest/gtest.h>

#include <protozero/pbf_reader.hpp>

#include "model/manifest.h"
#include "tests/model/foreign_pprof.h"
#include "tests/model/profiles.h"

namespace perfgap::testing {
namespace {

using pprof::ProfileField;

PprofRead read(std::string_view file) {
  Result<PprofRead> result = read_pprof(file);
  EXPECT_TRUE(result) << result.error().message;
  return result ? *std::move(result) : PprofRead{};
}

// The file's bytes without gzip.
std::string unpacked(const std::string& file) {
  std::string bytes;
  Gunzip gunzip(file);
  Gunzip::State state = Gunzip::State::more;
  while (state == Gunzip::State::more) state = gunzip.next(bytes);
  EXPECT_EQ(state, Gunzip::State::end);
  return bytes;
}

// Reading what was written gives an equal profile: every frame, label, value, comment and fact.
TEST(Pprof, LosesNothing) {
  const Profile profile = rich_profile();
  const PprofRead back = read(write_pprof(profile));
  EXPECT_EQ(describe(back.profile), describe(profile));
  EXPECT_EQ(back.warning, "");
}

TEST(Pprof, LosesNothingOfALargeProfile) {
  const Profile profile = large_profile(3000, 500, 40);
  EXPECT_EQ(describe(read(write_pprof(profile)).profile), describe(profile));
}

// Writing what was read gives the same bytes, and so do equal profiles.
TEST(Pprof, IsDeterministic) {
  for (const Profile& profile : {rich_profile(), large_profile(500, 50, 20), Profile()}) {
    const std::string file = write_pprof(profile);
    EXPECT_EQ(write_pprof(profile), file);
    EXPECT_EQ(write_pprof(read(file).profile), file);
  }
  EXPECT_EQ(write_pprof(rich_profile()), write_pprof(rich_profile()));
}

// Merging samples of a profile that was read changes nothing: their order is the same by its keys.
TEST(Pprof, KeepsTheOrderOfSamples) {
  PprofRead back = read(write_pprof(large_profile(2000, 100, 30)));
  const std::string before = describe(back.profile);
  back.profile.merge_samples();
  EXPECT_EQ(describe(back.profile), before);
}

// Frames keep the order of their ids, so that a report that breaks ties by them stays the same.
TEST(Pprof, KeepsTheOrderOfFrames) {
  const Profile profile = large_profile(2000, 20, 30);  // all reached
  const PprofRead back = read(write_pprof(profile));
  ASSERT_EQ(back.profile.frame_count(), profile.frame_count());
  for (std::size_t i = 0; i < profile.frame_count(); ++i) {
    EXPECT_EQ(display_name(back.profile, FrameId(i)), display_name(profile, FrameId(i)));
  }
}

// Frames inlined into one place are lines of one location, innermost first.
TEST(Pprof, InlinedFramesShareALocation) {
  Profile profile;
  profile.set_value_types({{profile.intern("samples"), profile.intern("count")}});
  const StackId leaf = stack(profile, {frame(profile, "outer", "/app"),
                                       frame(profile, "inner", "/app", FrameKind::inlined)});
  profile.add({leaf, {}, kNoTime, Outcome::unknown, {}, {1}});
  std::size_t locations = 0;
  std::vector<std::size_t> lines;
  const std::string bytes = unpacked(write_pprof(profile));
  protozero::pbf_reader reader(bytes);
  while (reader.next()) {
    if (reader.tag() != static_cast<protozero::pbf_tag_type>(ProfileField::location)) {
      reader.skip();
      continue;
    }
    ++locations;
    protozero::pbf_reader location = reader.get_message();
    while (location.next(4)) {
      protozero::pbf_reader line = location.get_message();
      ASSERT_TRUE(line.next(1));
      lines.push_back(line.get_uint64());
    }
  }
  EXPECT_EQ(locations, 1U);
  EXPECT_EQ(lines, (std::vector<std::size_t>{2, 1}));  // functions are numbered as interned
}

// File name of the first mapping, which other programs take for the main program.
std::string first_mapping(const std::string& file) {
  const std::string bytes = unpacked(file);
  std::vector<std::string> strings;
  protozero::pbf_reader table(bytes);
  while (table.next(static_cast<protozero::pbf_tag_type>(ProfileField::string_table))) {
    strings.push_back(table.get_string());
  }
  protozero::pbf_reader profile(bytes);
  if (!profile.next(static_cast<protozero::pbf_tag_type>(ProfileField::mapping))) return "";
  protozero::pbf_reader mapping = profile.get_message();
  const auto filename = static_cast<protozero::pbf_tag_type>(pprof::MappingField::filename);
  return mapping.next(filename) ? strings.at(mapping.get_uint64()) : "";
}

// The first executable of the first process is the first mapping, whether samples reach it or not.
TEST(Pprof, MainProgramIsTheFirstMapping) {
  Profile profile;
  profile.set_value_types({{profile.intern("samples"), profile.intern("count")}});
  const StackId leaf =
      stack(profile, {frame(profile, "read", "[kernel]"), frame(profile, "f", "/lib/libc.so.6"),
                      frame(profile, "main", "/usr/bin/node")});
  profile.add({leaf, {}, kNoTime, Outcome::complete, {}, {1}});
  EXPECT_EQ(first_mapping(write_pprof(profile)), "[kernel]");
  for (const std::string program : {"/usr/bin/node", "/usr/bin/launcher \xff"}) {
    ProcessRun process;
    process.executables = {program};
    profile.run.processes = {process};
    const std::string file = write_pprof(profile);
    EXPECT_EQ(first_mapping(file),
              program == "/usr/bin/node" ? program : "/usr/bin/launcher \xef\x9f\xbf");
    EXPECT_EQ(write_pprof(read(file).profile), file);
    EXPECT_EQ(describe(read(file).profile), describe(profile));
  }
}

// Addresses alone are a legal profile.
TEST(Pprof, UnsymbolizedProfileSurvives) {
  Profile profile;
  profile.set_value_types({{profile.intern("cycles"), profile.intern("count")}});
  const StackId leaf = stack(profile, {frame(profile, "", "/app", FrameKind::native, 1),
                                       frame(profile, "", "", FrameKind::unknown, 0x7fffffffffff)});
  profile.add({leaf, {}, kNoTime, Outcome::complete, {}, {1'000'000}});
  EXPECT_EQ(describe(read(write_pprof(profile)).profile), describe(profile));
}

// Keys of the manifest that this version does not know survive load and save.
TEST(Pprof, KeepsUnknownManifestKeys) {
  Profile profile = large_profile(3, 3, 3);
  profile.run.unknown_json = R"({"responses":{"count":5}})";
  const PprofRead back = read(write_pprof(profile));
  EXPECT_EQ(back.profile.run.unknown_json, profile.run.unknown_json);
}

// Entries that say nothing are entries all the same: a nameless column, an empty label.
TEST(Pprof, KeepsEmptyEntries) {
  Profile profile;
  profile.set_value_types({ValueType{}, {profile.intern("cpu"), profile.intern("nanoseconds")}});
  const LabelSetId labels = profile.intern(std::vector<Label>{Label{}});
  profile.add({StackId(), {}, kNoTime, Outcome::unknown, labels, {0, 0}});
  EXPECT_EQ(describe(read(write_pprof(profile)).profile), describe(profile));
}

// A comment of another's that looks like a manifest stays a comment.
TEST(Pprof, KeepsCommentsThatLookLikeAManifest) {
  Profile profile = large_profile(3, 3, 3);
  profile.comments = {"perfgap:1 {\"host\":\"x\"}", "perfgap:9 what", "perfgap summary"};
  const PprofRead back = read(write_pprof(profile));
  EXPECT_EQ(back.profile.comments, profile.comments);
  EXPECT_EQ(back.profile.run.host, "");
}

ForeignPprof foreign() {
  ForeignPprof file;
  file.type("objects", "count").type("space", "bytes");
  file.mapping(7, "/usr/bin/go-server").mapping(3, "[kernel.kallsyms]");
  file.function(90, "main.main").function(5, "main.inlined").function(6, "sys_read");
  file.location(1ULL << 60, 7, 0x1010, {5, 90}).location(2, 3, 0xffff800000000000, {6});
  file.location(4, 0, 0x33, {});
  file.sample({2, 1ULL << 60}, {3, 300}, {{"route", "/x"}, {"thread", "T1"}},
              {{"bytes", 64, "bytes"}, {"pid", 12, ""}});
  file.sample({4}, {-1, 0}, {{"outcome", "new_cause"}}, {{"t", 20, "milliseconds"}});
  file.number(ProfileField::time_nanos, 1'600'000'000'000'000'000);
  file.number(ProfileField::duration_nanos, 5'000'000'000);
  file.message(ProfileField::period_type, {{1, file.text("space")}, {2, file.text("bytes")}});
  file.number(ProfileField::period, 524'288);
  file.number(ProfileField::default_sample_type, file.text("space"));
  file.comment("made elsewhere");
  return file;
}

// A file without a manifest: its own sample types, ids, lines, labels and order of tables.
TEST(Pprof, ReadsFilesOfOtherPrograms) {
  const PprofRead back = read(foreign().file());
  const Profile& profile = back.profile;
  const SampleColumns& samples = profile.samples();
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(profile.text(profile.value_types()[profile.default_value_index()].type), "space");
  EXPECT_EQ(profile.total(0), 2);
  EXPECT_EQ(profile.total(1), 300);
  EXPECT_EQ(profile.period, 524'288);
  EXPECT_TRUE(profile.run.empty());
  EXPECT_EQ(profile.run.run_ms, 5000U);
  EXPECT_EQ(profile.comments, std::vector<std::string>{"made elsewhere"});

  std::vector<std::string> names;
  std::vector<FrameKind> kinds;
  for (StackId at = samples.stack[0]; !at.is_none(); at = profile.node(at).parent) {
    names.push_back(display_name(profile, profile.node(at).frame));
    kinds.push_back(profile.frame(profile.node(at).frame).kind);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"sys_read", "main.inlined", "main.main"}));
  EXPECT_EQ(kinds,
            (std::vector<FrameKind>{FrameKind::kernel, FrameKind::inlined, FrameKind::native}));
  EXPECT_EQ(profile.thread(samples.thread[0]).pid, 12U);
  EXPECT_EQ(profile.text(profile.thread(samples.thread[0]).name), "T1");
  ASSERT_EQ(profile.label_set(samples.labels[0]).size(), 2U);
  EXPECT_EQ(profile.label_set(samples.labels[0])[1].number, 64);
  EXPECT_EQ(samples.outcome[0], Outcome::unknown);  // the file does not say
  EXPECT_EQ(samples.time_ms[0], kNoTime);
  EXPECT_EQ(samples.time_ms[1], 20U);
  EXPECT_EQ(profile.text(profile.label_set(samples.labels[1])[0].text), "new_cause");
}

// Saving another program's file keeps what it says, and adds no manifest.
TEST(Pprof, SavesFilesOfOtherPrograms) {
  const PprofRead first = read(foreign().file());
  const std::string saved = write_pprof(first.profile);
  EXPECT_EQ(unpacked(saved).find("perfgap"), std::string::npos);
  EXPECT_EQ(describe(read(saved).profile), describe(first.profile));
  EXPECT_EQ(write_pprof(read(saved).profile), saved);
}

// A period in a unit other than the default column's is no distance of samples.
TEST(Pprof, IgnoresAPeriodOfAnotherUnit) {
  ForeignPprof file;
  file.type("samples", "count").type("cpu", "nanoseconds");
  file.message(ProfileField::period_type, {{1, file.text("x")}, {2, file.text("bytes")}});
  file.number(ProfileField::period, 99);
  EXPECT_EQ(read(file.file()).profile.period, 0);
}

// Two JIT frames, one location each, and a manifest that calls location 1 interpreted.
ForeignPprof with_manifest(std::uint64_t first_address, std::uint64_t second_address) {
  ForeignPprof file;
  file.type("samples", "count").mapping(1, "[jit]").function(1, "f");
  file.location(1, 1, first_address, {1}).location(2, 1, second_address, {1}).sample({1, 2}, {1});
  Manifest manifest;
  for (const std::uint64_t id : {1, 2}) {
    manifest.locations.add(id, id * 0x10);
    manifest.locations.add_line(10);
  }
  manifest.kinds = {{1, 1, FrameKind::interpreted}};
  manifest.tiers = {{1, 1, Tier::interpreted}};
  file.comment(manifest_comment(manifest));
  return file;
}

// Kinds and tiers of the manifest belong to the locations they were written for.
TEST(Pprof, TakesKindsAndTiersFromTheManifest) {
  const PprofRead back = read(with_manifest(0x10, 0x20).file());
  EXPECT_EQ(back.warning, "");
  EXPECT_EQ(back.profile.frame(FrameId(1)).kind, FrameKind::interpreted);
  EXPECT_EQ(back.profile.frame(FrameId(1)).tier, Tier::interpreted);
  EXPECT_EQ(back.profile.frame(FrameId(2)).kind, FrameKind::jit);
  EXPECT_EQ(back.profile.frame(FrameId(2)).tier, Tier::none);
}

// A program that renumbers locations must not leave kinds on the wrong ones: they are dropped,
// with a warning, and the mapping's name decides.
TEST(Pprof, DropsKindsOfRenumberedLocations) {
  const PprofRead back = read(with_manifest(0x20, 0x10).file());
  EXPECT_NE(back.warning.find("frame kinds and compilation tiers are lost"), std::string::npos)
      << back.warning;
  ASSERT_EQ(back.profile.frame_count(), 3U);
  for (const std::size_t i : {1, 2}) {
    EXPECT_EQ(back.profile.frame(FrameId(i)).kind, FrameKind::jit);
    EXPECT_EQ(back.profile.frame(FrameId(i)).tier, Tier::none);
  }
}

// Without a manifest an absent outcome is unknown, beside one it is complete.
TEST(Pprof, AbsentOutcomeMeansCompleteBesideAManifest) {
  EXPECT_EQ(read(with_manifest(0x10, 0x20).file()).profile.samples().outcome[0], Outcome::complete);
  EXPECT_EQ(read(foreign().file()).profile.samples().outcome[0], Outcome::unknown);
}

}  // namespace
}  // namespace perfgap::testing
