#include "collector/target_files.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

void PerfMapReader::open_map(std::uint64_t pid, CapturedImage& image) {
  const auto credentials = read_credentials(pid);
  if (!credentials) return;
  const std::string path = fmt::format("/tmp/perf-{}.map", credentials->inner_pid);
  UniqueFd fd = open_in_root(pid, path, kReadOnly | O_NOFOLLOW);
  if (!fd.valid()) {
    if (errno != ENOENT) image.perf_map_problem = fmt::format("{}: {}", path, strerror(errno));
    return;
  }
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return;
  if (!S_ISREG(status.st_mode)) {
    image.perf_map_problem = fmt::format("{}: not a regular file", path);
  } else if (status.st_uid != credentials->user_id && status.st_uid != 0) {
    image.perf_map_problem = fmt::format("{}: belongs to user id {}, neither the target's nor root",
                                         path, status.st_uid);
  } else {
    image.perf_map_problem.clear();
    fd_ = std::move(fd);
  }
}

void PerfMapReader::update(std::uint64_t pid, CapturedImage& image) {
  if (!fd_.valid()) open_map(pid, image);
  if (!fd_.valid()) return;
  std::string& text = image.perf_map;
  struct stat status{};
  if (fstat(fd_.get(), &status) != 0) return;
  if (static_cast<std::size_t>(status.st_size) < text.size())
    return;  // cut by its owner: keep what was read
  std::size_t wanted =
      std::min(static_cast<std::size_t>(status.st_size), kPerfMapBytes) - text.size();
  while (wanted > 0) {
    const std::size_t at = text.size();
    text.resize(at + std::min(wanted, std::size_t{1} << 20));
    const ssize_t got =
        pread(fd_.get(), text.data() + at, text.size() - at, static_cast<off_t>(at));
    text.resize(at + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got <= 0) break;
    wanted -= static_cast<std::size_t>(got);
  }
  if (static_cast<std::size_t>(status.st_size) > kPerfMapBytes)
    image.perf_map_problem =
        fmt::format("perf map of pid {}: only its first 256 MiB are read", pid);
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
