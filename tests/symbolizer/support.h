// What the symbolizer's tests share: programs compiled on the spot, captures made from them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/capture.h"
#include "model/profile.h"

namespace perfgap::test {

// A folder of its own for each test, removed with all it holds.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] std::string path(std::string_view name) const;

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view text);
// Standard output of a shell command; a test failure if it fails.
std::string run(const std::string& command);
// Compiles C source to `dir`/`name` with the system's compiler and returns the path.
std::string compile(const TempDir& dir, std::string_view name, std::string_view source,
                    std::string_view flags = "");

std::shared_ptr<CapturedFile> open_captured(const std::string& path);

// What a program that includes kReportSource said about itself.
struct ProgramReport {
  std::map<std::string, std::uint64_t> addresses;            // of report_address()
  std::map<std::string, std::vector<std::uint64_t>> stacks;  // of report_stack(), leaf first
  std::vector<CapturedMapping> mappings;                     // its executable ones
};
// C source to put before a program's own: report_address(name, pointer), report_stack(name) by
// frame pointer, and report_mappings().
extern const std::string_view kReportSource;
ProgramReport run_reporter(const std::string& command);

// A capture of one process with one image, to which samples are added.
Capture capture_of(std::vector<CapturedMapping> mappings, std::string perf_map = "");
void add_sample(Capture& capture, std::vector<std::uint64_t> user,
                std::vector<std::uint64_t> kernel = {}, std::uint64_t time_ns = 0,
                Outcome outcome = Outcome::bad_frame_pointer);

// The frames of sample `i`, root first, as display names.
std::vector<std::string> names_of(const Profile& profile, std::size_t i = 0);
// The frame of sample `i` that lies `depth` callers out of the leaf.
const Frame& frame_of(const Profile& profile, std::size_t i = 0, std::size_t depth = 0);
std::string_view name_of(const Profile& profile, const Frame& frame);
std::string_view module_of(const Profile& profile, const Frame& frame);

}  // namespace perfgap::test
