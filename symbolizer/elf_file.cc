#include "symbolizer/elf_file.h"

#include <elf.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace perfgap {
namespace {

// Real programs stay below a few hundred; a header may claim 2^64.
constexpr std::uint64_t kMaxSections = 1 << 20;
constexpr std::size_t kMaxSegments = 1024;
constexpr std::size_t kMaxNoteBytes = 1 << 20;
constexpr std::size_t kMaxBuildIdBytes = 64;

// GNU build id among the notes in `bytes`; empty if there is none.
std::string find_build_id(std::span<const std::byte> bytes, std::size_t align) {
  std::size_t at = 0;
  while (bytes.size() - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, bytes.data() + at, sizeof(note));
    const std::uint64_t name_at = at + sizeof(note);
    const std::uint64_t desc_at = (name_at + note.n_namesz + align - 1) / align * align;
    const std::uint64_t end = desc_at + note.n_descsz;
    if (end > bytes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(bytes.data() + name_at, "GNU", 4) == 0 && note.n_descsz <= kMaxBuildIdBytes) {
      std::string hex;
      for (const std::byte byte : bytes.subspan(desc_at, note.n_descsz))
        hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
      return hex;
    }
    at = std::min<std::uint64_t>((end + align - 1) / align * align, bytes.size());
  }
  return {};
}

}  // namespace

void ElfFile::CloseElf::operator()(Elf* elf) const {
  elf_end(elf);
}

Result<ElfFile> ElfFile::open(int fd) {
  ElfFile file;
  file.fd_ = fd;
  if (!file.header_is_sane()) return fail("not a 64-bit ELF file");
  elf_version(EV_CURRENT);
  file.elf_.reset(elf_begin(fd, ELF_C_READ, nullptr));
  return load(std::move(file));
}

Result<ElfFile> ElfFile::from_memory(std::vector<std::byte> image) {
  ElfFile file;
  file.image_ = std::move(image);
  if (!file.header_is_sane()) return fail("not a 64-bit ELF file");
  elf_version(EV_CURRENT);
  file.elf_.reset(elf_memory(reinterpret_cast<char*>(file.image_.data()), file.image_.size()));
  return load(std::move(file));
}

Result<ElfFile> ElfFile::load(ElfFile file) {
  if (!file.elf_ || elf_kind(file.elf_.get()) != ELF_K_ELF) return fail("not a 64-bit ELF file");
  if (!file.read_segments()) return fail("its program headers cannot be read");
  file.read_sections();
  file.read_build_id();
  return file;
}

bool ElfFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  if (fd_ < 0) {
    if (offset > image_.size() || out.size() > image_.size() - offset) return false;
    std::ranges::copy(std::span(image_).subspan(offset, out.size()), out.begin());
    return true;
  }
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

// libelf allocates by the header's own count of sections; this looks before it does.
bool ElfFile::header_is_sane() const {
  Elf64_Ehdr header;
  if (!read_at(0, std::as_writable_bytes(std::span(&header, 1)))) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return false;
  if (header.e_shoff == 0 || header.e_shnum != 0) return true;
  Elf64_Shdr first;
  if (!read_at(header.e_shoff, std::as_writable_bytes(std::span(&first, 1)))) return true;
  return first.sh_size <= kMaxSections;
}

bool ElfFile::read_segments() {
  GElf_Ehdr header;
  if (gelf_getehdr(elf_.get(), &header) == nullptr) return false;
  entry_point_ = header.e_entry;
  fixed_position_ = header.e_type == ET_EXEC;
  std::size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) return false;
  count = std::min<std::size_t>(count, PN_XNUM);
  for (std::size_t i = 0; i < count; i++) {
    GElf_Phdr program;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &program) == nullptr) return false;
    ElfSegment segment{.file_offset = program.p_offset,
                       .file_size = program.p_filesz,
                       .address = program.p_vaddr,
                       .memory_size = program.p_memsz,
                       .executable = (program.p_flags & PF_X) != 0};
    if (program.p_type == PT_LOAD && segments_.size() < kMaxSegments) segments_.push_back(segment);
    if (program.p_type == PT_NOTE && notes_.size() < kMaxSegments) {
      segment.memory_size = program.p_align;
      notes_.push_back(segment);
    }
  }
  return true;
}

void ElfFile::read_sections() {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return;
  sections_.emplace_back();
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(scn, &header) == nullptr) {
      sections_.emplace_back();
      continue;
    }
    const char* name = elf_strptr(elf_.get(), names, header.sh_name);
    sections_.push_back({.handle = scn,
                         .name = name == nullptr ? "" : name,
                         .type = header.sh_type,
                         .link = header.sh_link,
                         .address = header.sh_addr,
                         .size = header.sh_size,
                         .executable = (header.sh_flags & SHF_EXECINSTR) != 0});
  }
}

void ElfFile::read_build_id() {
  for (const ElfSegment& note : notes_) {
    std::vector<std::byte> bytes(std::min<std::uint64_t>(note.file_size, kMaxNoteBytes));
    if (!read_at(note.file_offset, bytes)) continue;
    build_id_ = find_build_id(bytes, note.memory_size == 8 ? 8 : 4);
    if (!build_id_.empty()) return;
  }
  // A debug file's note segments may point nowhere; its note section stays whole.
  if (const ElfSection* section = this->section(".note.gnu.build-id")) {
    if (const auto bytes = content(*section, kMaxNoteBytes)) build_id_ = find_build_id(*bytes, 4);
  }
}

const ElfSection* ElfFile::section(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

const ElfSegment* ElfFile::segment_at_offset(std::uint64_t offset) const {
  const ElfSegment* best = nullptr;
  for (const ElfSegment& segment : segments_) {
    if (segment.holds_offset(offset) &&
        (best == nullptr || (segment.executable && !best->executable)))
      best = &segment;
  }
  return best;
}

const ElfSegment* ElfFile::segment_at_address(std::uint64_t address) const {
  for (const ElfSegment& segment : segments_) {
    if (segment.holds_address(address)) return &segment;
  }
  return nullptr;
}

std::size_t ElfFile::read(std::uint64_t address, std::span<std::byte> out) const {
  const ElfSegment* segment = segment_at_address(address);
  if (segment == nullptr) return 0;
  const std::uint64_t skip = address - segment->address;
  const std::size_t size = std::min<std::uint64_t>(out.size(), segment->file_size - skip);
  return read_at(segment->file_offset + skip, out.first(size)) ? size : 0;
}

std::optional<std::span<const std::byte>> ElfFile::content(const ElfSection& section,
                                                           std::size_t limit) const {
  if (section.handle == nullptr || section.type == SHT_NOBITS || section.size == 0 ||
      section.size > limit)
    return std::nullopt;
  const Elf_Data* data = elf_rawdata(section.handle, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return std::nullopt;
  return std::span(static_cast<const std::byte*>(data->d_buf), data->d_size);
}

}  // namespace perfgap
