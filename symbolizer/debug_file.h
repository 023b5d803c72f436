// The separate symbols of a stripped program: its mini debug info (.gnu_debugdata), or a debug file
// of this machine found by build id or by debug link.
//
// A found file is used only if it is proven to belong: by its build id where it was found by that,
// by its checksum where the program links to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/unique_fd.h"
#include "symbolizer/elf_file.h"

namespace perfgap {

struct DebugFile {
  UniqueFd fd;  // of a file on disk; the file below borrows it
  ElfFile elf;
};

struct DebugFiles {
  std::vector<DebugFile> files;
  std::vector<std::string> problems;  // for the reader: a file that does not match, a corrupt one
};

// `path` is where the program lies, `debug_root` where distributions keep debug files.
DebugFiles find_debug_files(const ElfFile& file, std::string_view path,
                            std::string_view debug_root = "/usr/lib/debug");

}  // namespace perfgap
