#include "tests/symbolizer/support.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace perfgap::test {

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "perfgap-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::path(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

void write_file(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string run(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr) << command;
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 65536> buffer;
  for (std::size_t got; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), got);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

std::string compile(const TempDir& dir, std::string_view name, std::string_view source,
                    std::string_view flags) {
  const std::string code = dir.path(fmt::format("{}.c", name));
  const std::string program = dir.path(name);
  write_file(code, source);
  run(fmt::format("cc -w -O1 -fno-omit-frame-pointer {} -o {} {}", code, program, flags));
  return program;
}

std::shared_ptr<CapturedFile> open_captured(const std::string& path) {
  auto file = std::make_shared<CapturedFile>();
  file->path = path;
  file->fd = UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (fstat(file->fd.get(), &status) == 0) {
    file->device = status.st_dev;
    file->inode = status.st_ino;
  }
  return file;
}

const std::string_view kReportSource = R"(
#include <stdio.h>
static void report_address(const char *name, void *address) {
  printf("ADDRESS %s %lx\n", name, (unsigned long)address);
}
// Walks the frame pointers, as long as they lie within 1 MiB of this frame and ascend.
static __attribute__((noinline)) void report_stack(const char *name) {
  unsigned long *frame = __builtin_frame_address(0), *first = frame;
  printf("STACK %s", name);
  while (frame >= first && frame < first + (1 << 17) && ((unsigned long)frame & 7) == 0) {
    printf(" %lx", frame[1]);
    if ((unsigned long *)frame[0] <= frame) break;
    frame = (unsigned long *)frame[0];
  }
  printf("\n");
}
static void report_mappings(void) {
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) printf("MAPPING %s", line);
  fclose(maps);
  fflush(stdout);
}
)";

ProgramReport run_reporter(const std::string& command) {
  ProgramReport report;
  std::map<std::string, std::shared_ptr<CapturedFile>> files;
  std::istringstream lines(run(command));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string name;
    words >> kind >> name >> std::hex;
    if (kind == "ADDRESS") {
      words >> report.addresses[name];
    } else if (kind == "STACK") {
      for (std::uint64_t address; words >> address;) report.stacks[name].push_back(address);
    } else if (kind == "MAPPING") {
      CapturedMapping mapping;
      std::string rights;
      std::string device;
      std::string inode;
      words >> rights >> mapping.file_offset >> device >> inode >> mapping.name;
      if (rights.find('x') == std::string::npos) continue;
      std::sscanf(name.c_str(), "%lx-%lx", &mapping.start, &mapping.end);
      if (mapping.name.starts_with('/')) {
        auto& file = files[mapping.name];
        if (!file) file = open_captured(mapping.name);
        mapping.file = file;
      }
      report.mappings.push_back(mapping);
    }
  }
  return report;
}

Capture capture_of(std::vector<CapturedMapping> mappings, std::string perf_map) {
  Capture capture;
  capture.weight_type = "cpu";
  capture.weight_unit = "nanoseconds";
  capture.period = 2'000'000;
  capture.thread_names = {"thread"};
  CapturedImage image;
  image.comm = "program";
  image.mappings = std::move(mappings);
  image.perf_map = std::move(perf_map);
  CapturedProcess process;
  process.pid = 42;
  process.images.push_back(std::move(image));
  capture.processes.push_back(std::move(process));
  return capture;
}

void add_sample(Capture& capture, std::vector<std::uint64_t> user,
                std::vector<std::uint64_t> kernel, std::uint64_t time_ns, Outcome outcome) {
  CapturedSample sample;
  sample.time_ns = time_ns;
  sample.weight = 1;
  sample.tid = 43;
  sample.user_stack = capture.stacks.intern(user);
  sample.kernel_stack = capture.stacks.intern(kernel);
  sample.outcome = outcome;
  capture.samples.push_back(sample);
}

std::vector<std::string> names_of(const Profile& profile, std::size_t i) {
  std::vector<std::string> names;
  for (StackId at = profile.samples().stack.at(i); !at.is_none(); at = profile.node(at).parent)
    names.push_back(display_name(profile, profile.node(at).frame));
  std::ranges::reverse(names);
  return names;
}

const Frame& frame_of(const Profile& profile, std::size_t i, std::size_t depth) {
  StackId at = profile.samples().stack.at(i);
  for (; depth > 0; depth--) at = profile.node(at).parent;
  return profile.frame(profile.node(at).frame);
}

std::string_view name_of(const Profile& profile, const Frame& frame) {
  return profile.text(profile.function(frame.function).name);
}

std::string_view module_of(const Profile& profile, const Frame& frame) {
  return profile.text(profile.mapping(frame.mapping).file);
}

}  // namespace perfgap::test
