#include "cli/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "model/unique_fd.h"

namespace perfgap {
namespace {

constexpr std::size_t kProfileBytes = std::size_t{1} << 30;
constexpr std::size_t kRulesBytes = std::size_t{1} << 20;

std::string reason() {
  return strerror(errno);
}

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(reason());
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(fd) != 0 && errno != EINVAL) return fail(reason());
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t limit_bytes) {
  UniqueFd opened;
  if (path.empty()) return usage_error("file name '': is empty; name a file");
  if (path != "-") {
    opened = UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened.valid())
      return fail(fmt::format("{}: cannot be read ({}); check the path", path, reason()));
  }
  const int fd = path == "-" ? STDIN_FILENO : opened.get();
  struct stat status{};
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
    return fail(fmt::format("{}: is a folder; name a file", path));
  if (path != "-" && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)))
    return fail(fmt::format("{}: is a device; name a file", path));
  const auto too_large = [&] {
    return fail(fmt::format("{}: larger than {} MiB; that is no file of this program's", path,
                            limit_bytes >> 20));
  };
  if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > limit_bytes)
    return too_large();
  std::string bytes;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(fmt::format("{}: cannot be read ({})", path, reason()));
    if (got == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
    if (bytes.size() > limit_bytes) return too_large();
  }
}

Result<void> write_file(const std::string& path, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  const UniqueFd fd(mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid())
    return fail(
        fmt::format("{}: cannot be written ({}); choose another folder with -o", path, reason()));
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(fd.get(), 0666 & ~mask);
  if (auto written = write_all(fd.get(), bytes); !written) {
    unlink(temporary.c_str());
    return fail(
        fmt::format("{}: cannot be written ({}); free space or choose another folder with -o", path,
                    written.error().message));
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string cause = reason();
    unlink(temporary.c_str());
    return fail(
        fmt::format("{}: cannot be written ({}); choose another folder with -o", path, cause));
  }
  return {};
}

Result<void> prepare_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST)
    return fail(
        fmt::format("{}: cannot be created ({}); choose another folder with -o", path, reason()));
  struct stat status{};
  if (stat(path.c_str(), &status) != 0)
    return fail(fmt::format("{}: cannot be used ({}); choose another folder with -o", path,
                            errno == ENOENT ? "a link to nothing" : reason()));
  if (!S_ISDIR(status.st_mode))
    return fail(fmt::format("{}: is not a folder; choose another name with -o", path));
  // Only a file that was created proves it: permissions say nothing of file systems like /proc.
  std::string trial = path + "/.profile-XXXXXX";
  const UniqueFd fd(mkostemp(trial.data(), O_CLOEXEC));
  if (fd.valid()) unlink(trial.c_str());
  if (!fd.valid())
    return fail(
        fmt::format("{}: cannot be written ({}); choose another folder with -o", path, reason()));
  return {};
}

Result<PprofRead> load_profile(const std::string& path) {
  std::string file = path;
  struct stat status{};
  if (path != "-" && stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    file += "/profile.pb.gz";
  auto bytes = read_file(file, kProfileBytes);
  if (!bytes) return std::unexpected(bytes.error());
  auto read = read_pprof(*bytes);
  if (!read) return fail(fmt::format("{}: {}", file, read.error().message));
  if (!read->warning.empty()) read->warning = fmt::format("{}: {}", file, read->warning);
  return read;
}

Result<CategoryRules> load_rules(const std::vector<std::string>& user_files) {
  std::vector<RuleSource> sources;
  for (const std::string& file : user_files) {
    auto text = read_file(file, kRulesBytes);
    if (!text) return std::unexpected(text.error());
    sources.push_back({.name = file, .text = std::move(*text), .precedence = RulePrecedence::user});
  }
  for (RuleSource& source : builtin_rules()) sources.push_back(std::move(source));
  return CategoryRules::load(sources);
}

}  // namespace perfgap
