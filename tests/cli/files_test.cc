// Files are written whole or not at all, and read within their limits.
#include "cli/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace perfgap {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "perfgap-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }

  std::string folder_;
};

TEST_F(Files, WritingReplacesTheWholeFile) {
  ASSERT_TRUE(write_file(path("a"), "a longer first text"));
  ASSERT_TRUE(write_file(path("a"), "second"));

  EXPECT_EQ(read_file(path("a"), 100).value(), "second");
  EXPECT_EQ(entries(), 1);
}

// The error names the file, and nothing is left beside it.
TEST_F(Files, NothingIsLeftOfAFileThatCouldNotBeWritten) {
  const auto written = write_file(path("missing/a"), "text");

  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("missing/a"), std::string::npos);
  EXPECT_EQ(entries(), 0);
}

TEST_F(Files, ReadingHasALimit) {
  ASSERT_TRUE(write_file(path("a"), std::string(2 << 20, 'x')));

  EXPECT_FALSE(read_file(path("a"), 1 << 20));
  EXPECT_TRUE(read_file(path("a"), 2 << 20));
  EXPECT_FALSE(read_file(folder_, 100));
  EXPECT_FALSE(read_file(path("none"), 100));
}

TEST_F(Files, AFolderIsCreatedOrTaken) {
  EXPECT_TRUE(prepare_folder(path("run1")));
  EXPECT_TRUE(prepare_folder(path("run1")));
  std::ofstream(path("file")) << "x";
  EXPECT_FALSE(prepare_folder(path("file")));
  EXPECT_FALSE(prepare_folder(path("none/run1")));
}

// A folder stands for the profile in it; the error names the file that was looked for.
TEST_F(Files, AFolderStandsForItsProfile) {
  const auto read = load_profile(folder_);

  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("/profile.pb.gz"), std::string::npos);
}

}  // namespace
}  // namespace perfgap
