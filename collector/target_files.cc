#include "collector/target_files.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace perfgap {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr int kReadOnly = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// openat2(2) of `path` as the process sees it, absolute links and ".." held inside its root.
UniqueFd open_in_root(std::uint64_t pid, const std::string& path, int flags) {
  const UniqueFd root(open(fmt::format("/proc/{}/root", id_with_memory(pid)).c_str(),
                           O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return {};
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(
      static_cast<int>(syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof(how))));
}

bool is_regular(int fd) {
  struct stat status{};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

bool is_inode(int fd, std::uint64_t inode) {
  struct stat status{};
  return fstat(fd, &status) == 0 && status.st_ino == inode;
}

bool is_same_file(int one, int other) {
  struct stat first{};
  struct stat second{};
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Written before the process began: what another process of the same id left behind.
bool is_older_than_process(const struct stat& status, std::uint64_t pid) {
  constexpr double kSlackSeconds = 2;  // the wall clock may have been set meanwhile
  const auto process = read_proc_stat(pid);
  if (!process) return false;
  const double began =
      seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME) +
      static_cast<double>(process->start_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return static_cast<double>(status.st_mtim.tv_sec) + kSlackSeconds < began;
}

// The process's perf map as it is now; invalid if there is none or, with `problem`, none to trust.
UniqueFd open_perf_map(std::uint64_t pid, std::string& problem) {
  const auto credentials = read_credentials(pid);
  if (!credentials) return {};
  const std::string path = fmt::format("/tmp/perf-{}.map", credentials->inner_pid);
  UniqueFd fd = open_in_root(pid, path, kReadOnly | O_NOFOLLOW);
  const int error = errno;
  if (!fd.valid() && error == ENOENT) return {};
  struct stat status{};
  if (!fd.valid()) {
    problem = fmt::format("{}: {}", path, error == ELOOP ? "is a symbolic link" : strerror(error));
  } else if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    problem = fmt::format("{}: not a regular file", path);
  } else if (status.st_uid != credentials->user_id && status.st_uid != 0) {
    problem = fmt::format("{}: belongs to user id {}, neither the target's nor root", path,
                          status.st_uid);
  } else if (is_older_than_process(status, pid)) {
    problem = fmt::format(
        "{}: older than the process, so not read; touch it if no earlier process left it", path);
  } else {
    problem.clear();
    return fd;
  }
  return {};
}

}  // namespace

std::shared_ptr<const CapturedFile> FileStore::open_mapped(std::uint64_t pid,
                                                           const ProcMapping& mapping) {
  if (mapping.inode == 0) return nullptr;
  auto& known = by_inode_[{mapping.device, mapping.inode}];
  if (known && known->fd.valid()) return known;

  auto file = std::make_shared<CapturedFile>();
  file->path = mapping.name;
  file->device = mapping.device;
  file->inode = mapping.inode;
  file->deleted = mapping.name.ends_with(kDeleted);
  if (file->deleted) file->path.resize(file->path.size() - kDeleted.size());

  // map_files names the very inode that is mapped, whatever has happened to its path.
  file->fd = UniqueFd(open(
      fmt::format("/proc/{}/map_files/{:x}-{:x}", id_with_memory(pid), mapping.start, mapping.end)
          .c_str(),
      kReadOnly));
  if (!file->fd.valid()) {
    file->fd = open_in_root(pid, file->path, kReadOnly);
    const int error = errno;
    if (!file->fd.valid()) {
      file->open_error = strerror(error);
    } else if (!is_inode(file->fd.get(), mapping.inode)) {
      file->fd.reset();
      file->open_error = "the path now names another file";
    }
  }
  if (file->fd.valid() && !is_regular(file->fd.get())) {
    file->fd.reset();
    file->open_error = "not a regular file";
  }
  known = file;
  return file;
}

std::shared_ptr<const CapturedFile> FileStore::open_executable(std::uint64_t pid) {
  auto file = std::make_shared<CapturedFile>();
  file->path = read_executable_path(pid);
  if (file->path.empty()) return nullptr;
  file->fd = UniqueFd(open(fmt::format("/proc/{}/exe", id_with_memory(pid)).c_str(), kReadOnly));
  if (!file->fd.valid()) {
    file->open_error = strerror(errno);
    return file;
  }
  struct stat status{};
  if (fstat(file->fd.get(), &status) != 0) return file;
  file->device = status.st_dev;
  file->inode = status.st_ino;
  auto& known = by_inode_[{file->device, file->inode}];
  if (!known || !known->fd.valid()) known = file;
  return known;
}

void PerfMapReader::update(std::uint64_t pid, CapturedImage& image) {
  std::string& text = image.perf_map;
  UniqueFd current = open_perf_map(pid, image.perf_map_problem);
  const bool is_new = current.valid() && (!fd_.valid() || !is_same_file(current.get(), fd_.get()));
  if (is_new) fd_ = std::move(current);
  if (!fd_.valid()) return;
  if (is_new || !continues(text)) {
    read_bytes_ = 0;
    if (!text.empty() && text.back() != '\n') text += '\n';
  }
  struct stat status{};
  if (fstat(fd_.get(), &status) != 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  const std::size_t unread = size - std::min(size, read_bytes_);
  std::size_t wanted = std::min(unread, kPerfMapBytes - std::min(kPerfMapBytes, text.size()));
  if (wanted < unread)
    image.perf_map_problem =
        fmt::format("perf map of pid {}: only its first 256 MiB are read", pid);
  while (wanted > 0) {
    const std::size_t at = text.size();
    text.resize(at + std::min(wanted, std::size_t{1} << 20));
    const ssize_t got =
        pread(fd_.get(), text.data() + at, text.size() - at, static_cast<off_t>(read_bytes_));
    text.resize(at + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got <= 0) break;
    read_bytes_ += static_cast<std::size_t>(got);
    wanted -= static_cast<std::size_t>(got);
  }
}

// Whether the file still holds, where reading ended, what was read there.
bool PerfMapReader::continues(const std::string& text) const {
  constexpr std::size_t kCompared = 4096;
  struct stat status{};
  if (fstat(fd_.get(), &status) != 0) return true;
  if (static_cast<std::size_t>(status.st_size) < read_bytes_) return false;
  std::string before(std::min({read_bytes_, text.size(), kCompared}), '\0');
  const ssize_t got = pread(fd_.get(), before.data(), before.size(),
                            static_cast<off_t>(read_bytes_ - before.size()));
  return got == static_cast<ssize_t>(before.size()) && text.ends_with(before);
}

std::vector<std::byte> read_vdso() {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(getauxval(AT_SYSINFO_EHDR));
  if (header == nullptr) return {};
  // The section headers end the image (the kernel maps the whole file).
  const std::size_t size =
      header->e_shoff + static_cast<std::size_t>(header->e_shnum) * header->e_shentsize;
  const auto* bytes = reinterpret_cast<const std::byte*>(header);
  return {bytes, bytes + size};
}

}  // namespace perfgap
