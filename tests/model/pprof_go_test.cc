// A real client opens what we write: go tool pprof, which checks a profile as it loads it.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "model/pprof.h"
#include "tests/model/profiles.h"

namespace perfgap::testing {
namespace {

namespace fs = std::filesystem;

struct Output {
  std::string text;
  int status = -1;
};

Output run(const std::string& command) {
  Output output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer;
  while (const std::size_t size = fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.text.append(buffer.data(), size);
  }
  output.status = pclose(pipe);
  return output;
}

class GoPprof : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run("go version").status != 0) GTEST_SKIP() << "skipped: go is not installed";
    std::string pattern = (fs::temp_directory_path() / "perfgap-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  fs::path save(const Profile& profile, const std::string& name = "profile.pb.gz") {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << write_pprof(profile);
    return path;
  }
  // Homes and caches of go stay in the test's folder; no network.
  [[nodiscard]] Output pprof(const std::string& arguments) const {
    const std::string home = "HOME=" + folder_.string() + " PPROF_TMPDIR=" + folder_.string();
    return run("env " + home + " GOFLAGS=-mod=mod GOPROXY=off go tool pprof " + arguments);
  }

  fs::path folder_;
};

// The totals that pprof prints are ours, and each function's too.
TEST_F(GoPprof, TopShowsOurTotals) {
  Profile profile;
  profile.set_value_types({{profile.intern("samples"), profile.intern("count")},
                           {profile.intern("cpu"), profile.intern("nanoseconds")}});
  const FrameId root = frame(profile, "main", "/opt/server");
  const auto add = [&](std::string_view leaf, std::int64_t count) {
    profile.add({stack(profile, {root, frame(profile, leaf, "/opt/server")}),
                 {},
                 0,
                 Outcome::complete,
                 {},
                 {count, count * 10'000'000}});
  };
  add("hot", 70);
  add("cold", 30);
  const std::string file = save(profile).string();

  const Output cpu = pprof("-top " + file);
  ASSERT_EQ(cpu.status, 0) << cpu.text;
  EXPECT_NE(cpu.text.find("100% of 1000ms total"), std::string::npos) << cpu.text;
  EXPECT_TRUE(std::regex_search(cpu.text, std::regex("700ms +70.00% .* hot"))) << cpu.text;
  EXPECT_TRUE(std::regex_search(cpu.text, std::regex(" 1000ms +100% +main"))) << cpu.text;
  EXPECT_NE(cpu.text.find("File: server"), std::string::npos) << cpu.text;

  const Output samples = pprof("-top -sample_index=samples " + file);
  EXPECT_TRUE(std::regex_search(samples.text, std::regex(" 70 +70.00% .* hot"))) << samples.text;
}

// Every kind of frame, label and name loads, and the whole profile adds up to our totals.
TEST_F(GoPprof, RawShowsEverySample) {
  const Profile profile = rich_profile();
  const Output raw = pprof("-raw " + save(profile).string());
  ASSERT_EQ(raw.status, 0) << raw.text;
  EXPECT_NE(raw.text.find("PeriodType: cpu nanoseconds"), std::string::npos) << raw.text;
  EXPECT_NE(raw.text.find("Period: 2004008"), std::string::npos);
  EXPECT_NE(raw.text.find("samples/count cpu/nanoseconds[dflt]"), std::string::npos);
  EXPECT_NE(raw.text.find("Duration: 9.87"), std::string::npos);
  const std::regex sample("^ +([0-9]+) +([0-9]+):", std::regex::multiline);
  std::int64_t count = 0;
  std::int64_t cpu = 0;
  for (auto it = std::sregex_iterator(raw.text.begin(), raw.text.end(), sample);
       it != std::sregex_iterator(); ++it) {
    count += std::stoll((*it)[1]);
    cpu += std::stoll((*it)[2]);
  }
  EXPECT_EQ(count, profile.total(0));
  EXPECT_EQ(cpu, profile.total(1));
  EXPECT_NE(raw.text.find("outcome:[read_fault]"), std::string::npos);
  EXPECT_NE(raw.text.find("route:[/a]"), std::string::npos);
  EXPECT_NE(raw.text.find("tid:[4243]"), std::string::npos);
  EXPECT_NE(raw.text.find("[FN]"), std::string::npos) << "names are announced, so not looked up";
}

// Labels can be asked for: pprof's tags are our threads and times.
TEST_F(GoPprof, TagsShowThreadsAndTimes) {
  const Output tags = pprof("-tags " + save(large_profile(300, 20, 10)).string());
  ASSERT_EQ(tags.status, 0) << tags.text;
  for (const char* key : {"pid", "tid", "comm", "thread", " t:"}) {
    EXPECT_NE(tags.text.find(key), std::string::npos) << tags.text;
  }
}

// The comment for people says what was measured, without control characters.
TEST_F(GoPprof, CommentsShowTheRun) {
  const Output comments = pprof("-comments " + save(rich_profile()).string());
  ASSERT_EQ(comments.status, 0) << comments.text;
  EXPECT_NE(comments.text.find("perfgap 0.1.0: /usr/bin/server"), std::string::npos);
  EXPECT_NE(comments.text.find("(pid 4242) and 1 more, cpu-clock 499 Hz, 9876 ms on web-1"),
            std::string::npos)
      << comments.text;
  EXPECT_EQ(comments.text.find('\x1b'), std::string::npos);
}

// A file that go wrote again, renumbering all ids, loads here with the same totals and names, and
// says what go could not keep.
TEST_F(GoPprof, ReadsWhatGoWroteAgain) {
  const Profile profile = large_profile(300, 30, 12);
  const fs::path rewritten = folder_ / "rewritten.pb.gz";
  const Output proto = pprof("-proto -output " + rewritten.string() + " " + save(profile).string());
  ASSERT_EQ(proto.status, 0) << proto.text;
  std::ifstream stream(rewritten, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  const Result<PprofRead> back = read_pprof(bytes);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->profile.total(0), profile.total(0));
  EXPECT_EQ(back->profile.total(1), profile.total(1));
  EXPECT_EQ(back->profile.samples().outcome[0], Outcome::complete);
  EXPECT_NE(back->warning.find("another program rewrote this file"), std::string::npos);
}

}  // namespace
}  // namespace perfgap::testing
