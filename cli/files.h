// Files of the user: read whole within a limit; written whole or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/categories.h"
#include "model/error.h"
#include "model/pprof.h"

namespace perfgap {

// A file's bytes; "-" is stdin. Refuses what is larger than `limit_bytes` or not readable as a
// file.
Result<std::string> read_file(const std::string& path, std::size_t limit_bytes);

// Writes to a temporary name beside `path`, then renames: readers see the old file or the whole new
// one.
Result<void> write_file(const std::string& path, std::string_view bytes);

// Creates the folder if needed and makes sure that files can be written to it.
Result<void> prepare_folder(const std::string& path);

// A saved profile: `path` is the file, a folder that holds profile.pb.gz, or "-".
Result<PprofRead> load_profile(const std::string& path);

// The built-in rules with the user's files before them.
Result<CategoryRules> load_rules(const std::vector<std::string>& user_files);

}  // namespace perfgap
