// One rules file, parsed: TOML text -> plain values, every error with its line. Grammar:
// docs/how-to/write-rules.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/profile.h"

namespace perfgap {

// Where on the stack a frame must be for its rule to match.
enum class RulePosition : std::uint8_t { any, leaf, root };

// A rule as written. Patterns are RE2 syntax and known to compile; an empty list does not restrict.
struct ParsedRule {
  std::uint32_t line = 0;
  std::string category;  // empty: transparent without an id
  std::vector<std::string> function;
  std::vector<std::string> module;
  std::vector<std::string> file;
  std::vector<std::string> thread;
  std::vector<std::string> under;
  std::uint8_t kinds = 0;  // bit i: FrameKind(i); 0 does not restrict
  bool program = false;
  RulePosition where = RulePosition::any;
  bool covers = false;
  bool transparent = false;

  // Matches threads, not frames.
  [[nodiscard]] bool is_thread_root() const;
};

struct RuleFile {
  std::string runtime;
  std::string verified;
  std::vector<std::string> modules;  // the runtime's own programs
  std::vector<std::string>
      applies_function;  // with applies_module: one match in the profile suffices;
  std::vector<std::string> applies_module;  // both empty: always applies
  std::vector<ParsedRule> rules;
};

// `name` is for messages. The user's own files may leave out `runtime`.
Result<RuleFile> parse_rule_file(std::string_view name, std::string_view text, bool needs_runtime);

}  // namespace perfgap
