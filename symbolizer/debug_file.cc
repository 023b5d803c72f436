#include "symbolizer/debug_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstring>
#include <optional>

namespace perfgap {
namespace {

constexpr std::size_t kMaxPackedBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxUnpackedBytes = std::size_t{256} << 20;
constexpr std::uint64_t kMaxDecoderMemory = std::uint64_t{256} << 20;
constexpr std::size_t kMaxLinkBytes = 4096;

std::optional<std::vector<std::byte>> unpack_xz(std::span<const std::byte> packed) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMaxDecoderMemory, 0) != LZMA_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::vector<std::byte> unpacked;
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK && unpacked.size() < kMaxUnpackedBytes) {
    const std::size_t at = unpacked.size();
    unpacked.resize(at + (std::size_t{1} << 20));
    stream.next_out = reinterpret_cast<std::uint8_t*>(unpacked.data() + at);
    stream.avail_out = unpacked.size() - at;
    status = lzma_code(&stream, LZMA_FINISH);
    unpacked.resize(unpacked.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (status != LZMA_STREAM_END) return std::nullopt;
  return unpacked;
}

// Names come from hostile files: nothing but a regular file is opened for reading, since opening
// alone can block (a fifo) or act (a device).
UniqueFd open_regular_file(const std::string& path) {
  const UniqueFd found(open(path.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!found.valid() || fstat(found.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return UniqueFd(open(fmt::format("/proc/self/fd/{}", found.get()).c_str(), O_RDONLY | O_CLOEXEC));
}

std::uint32_t checksum(int fd) {
  std::vector<std::uint8_t> buffer(std::size_t{1} << 20);
  uLong crc = 0;
  off_t at = 0;
  for (ssize_t got; (got = pread(fd, buffer.data(), buffer.size(), at)) > 0; at += got)
    crc = crc32_z(crc, buffer.data(), static_cast<std::size_t>(got));
  return static_cast<std::uint32_t>(crc);
}

struct DebugLink {
  std::string name;
  std::uint32_t checksum = 0;
};

std::optional<DebugLink> debug_link(const ElfFile& file) {
  const ElfSection* section = file.section(".gnu_debuglink");
  if (section == nullptr) return std::nullopt;
  const auto content = file.content(*section, kMaxLinkBytes);
  if (!content) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(content->data());
  DebugLink link{.name = std::string(text, strnlen(text, content->size()))};
  const std::size_t at = (link.name.size() + 4) / 4 * 4;
  if (at + sizeof(link.checksum) > content->size()) return std::nullopt;
  std::memcpy(&link.checksum, content->data() + at, sizeof(link.checksum));
  if (link.name.empty() || link.name.find('/') != std::string::npos) return std::nullopt;
  return link;
}

void add_mini_debug_info(const ElfFile& file, DebugFiles& found) {
  const ElfSection* section = file.section(".gnu_debugdata");
  if (section == nullptr) return;
  const auto packed = file.content(*section, kMaxPackedBytes);
  auto unpacked = packed ? unpack_xz(*packed) : std::nullopt;
  auto elf = unpacked ? ElfFile::from_memory(std::move(*unpacked))
                      : Result<ElfFile>(fail("it cannot be unpacked"));
  if (elf) {
    found.files.push_back({.fd = {}, .elf = std::move(*elf)});
  } else {
    found.problems.push_back(
        fmt::format("its mini debug info is unusable: {}", elf.error().message));
  }
}

bool add_by_build_id(const ElfFile& file, std::string_view debug_root, DebugFiles& found) {
  if (file.build_id().size() < 4) return false;
  const std::string path = fmt::format("{}/.build-id/{}/{}.debug", debug_root,
                                       file.build_id().substr(0, 2), file.build_id().substr(2));
  // Distributions may link the name to the file, and this folder is the machine's own.
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return false;
  auto elf = ElfFile::open(fd.get());
  if (!elf || elf->build_id() != file.build_id()) {
    found.problems.push_back(fmt::format("debug file {} does not match", path));
    return false;
  }
  found.files.push_back({.fd = std::move(fd), .elf = std::move(*elf)});
  return true;
}

void add_by_link(const ElfFile& file, std::string_view path, std::string_view debug_root,
                 DebugFiles& found) {
  const auto link = debug_link(file);
  const std::size_t slash = path.rfind('/');
  if (!link || slash == std::string_view::npos) return;
  const std::string_view folder = path.substr(0, slash);
  const std::array candidates = {fmt::format("{}/{}", folder, link->name),
                                 fmt::format("{}/.debug/{}", folder, link->name),
                                 fmt::format("{}{}/{}", debug_root, folder, link->name)};
  std::string mismatch;
  for (const std::string& candidate : candidates) {
    if (candidate == path) continue;
    UniqueFd fd = open_regular_file(candidate);
    if (!fd.valid()) continue;
    auto elf = ElfFile::open(fd.get());
    if (!elf || checksum(fd.get()) != link->checksum) {
      mismatch = fmt::format("debug file {} does not match", candidate);
      continue;
    }
    found.files.push_back({.fd = std::move(fd), .elf = std::move(*elf)});
    return;
  }
  if (!mismatch.empty()) found.problems.push_back(mismatch);
}

}  // namespace

DebugFiles find_debug_files(const ElfFile& file, std::string_view path,
                            std::string_view debug_root) {
  DebugFiles found;
  add_mini_debug_info(file, found);
  if (!add_by_build_id(file, debug_root, found)) add_by_link(file, path, debug_root, found);
  return found;
}

}  // namespace perfgap
