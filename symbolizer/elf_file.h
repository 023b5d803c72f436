// An ELF file as far as names need it: its segments, sections and identity, every field of it
// mistrusted.
//
// Read with pread, never mapped: a file that shrinks while it is read must not raise SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/error.h"

struct Elf;
struct Elf_Scn;

namespace perfgap {

// One PT_LOAD, the part that comes from the file.
struct ElfSegment {
  std::uint64_t file_offset = 0;
  std::uint64_t file_size = 0;
  std::uint64_t address = 0;
  std::uint64_t memory_size = 0;
  bool executable = false;

  [[nodiscard]] bool holds_offset(std::uint64_t offset) const {
    return offset >= file_offset && offset - file_offset < file_size;
  }
  [[nodiscard]] bool holds_address(std::uint64_t vaddr) const {
    return vaddr >= address && vaddr - address < file_size;
  }
};

struct ElfSection {
  Elf_Scn* handle = nullptr;
  std::string name;
  std::uint32_t type = 0;
  std::uint32_t link = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool executable = false;
};

class ElfFile {
 public:
  // `fd` is borrowed and must outlive the result; its file position is not used.
  static Result<ElfFile> open(int fd);
  static Result<ElfFile> from_memory(std::vector<std::byte> image);

  [[nodiscard]] const std::vector<ElfSegment>& segments() const { return segments_; }
  // Indexed as in the file; entry 0 is the empty one. Empty if there are no section headers.
  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  [[nodiscard]] const ElfSection* section(std::string_view name) const;
  [[nodiscard]] const std::string& build_id() const { return build_id_; }  // lower-case hex
  [[nodiscard]] std::uint64_t entry_point() const { return entry_point_; }
  [[nodiscard]] bool fixed_position() const { return fixed_position_; }  // ET_EXEC

  // The segment whose file part holds this offset; an executable one if several do.
  [[nodiscard]] const ElfSegment* segment_at_offset(std::uint64_t offset) const;
  [[nodiscard]] const ElfSegment* segment_at_address(std::uint64_t address) const;

  // Bytes at a linked address, as many as one segment's file part holds from there on.
  [[nodiscard]] std::size_t read(std::uint64_t address, std::span<std::byte> out) const;
  // A section's content as it lies in the file; nullopt if it has none or more than `limit` bytes.
  [[nodiscard]] std::optional<std::span<const std::byte>> content(const ElfSection& section,
                                                                  std::size_t limit) const;
  [[nodiscard]] Elf* handle() const { return elf_.get(); }

 private:
  struct CloseElf {
    void operator()(Elf* elf) const;
  };

  ElfFile() = default;
  static Result<ElfFile> load(ElfFile file);
  bool read_at(std::uint64_t offset, std::span<std::byte> out) const;
  bool header_is_sane() const;
  bool read_segments();
  void read_sections();
  void read_build_id();

  int fd_ = -1;
  std::vector<std::byte> image_;  // of from_memory(); outlives elf_
  std::unique_ptr<Elf, CloseElf> elf_;
  std::vector<ElfSegment> segments_;
  std::vector<ElfSection> sections_;
  std::string build_id_;
  std::uint64_t entry_point_ = 0;
  bool fixed_position_ = false;
  std::vector<ElfSegment> notes_;
};

}  // namespace perfgap
