// Parses a rules file with toml++; the earliest error of the file is the one reported.
#include "analyzers/rule_file.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "analyzers/ascii_text.h"
#include "analyzers/suggestion.h"

// toml++ asserts, and in some builds assumes, of a key what it then checks and reports as an error.
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace perfgap {
namespace {

constexpr std::array kFileKeys = {"runtime", "verified", "modules", "applies_when", "rule"};
constexpr std::array kAppliesKeys = {"function", "module"};
constexpr std::array kRuleKeys = {"category", "function", "module", "file",   "thread",     "kind",
                                  "program",  "where",    "under",  "covers", "transparent"};

// The file is parsed as to_ascii() of its text.
std::string string_value(const toml::node& node) {
  return from_ascii(node.value_or(std::string_view()));
}

std::uint32_t line_of(const toml::node& node) {
  return std::max<std::uint32_t>(1, node.source().begin.line);
}

// One line of text whatever the parser's message or the user's file contains.
std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return line;
}

// The start of what a user wrote, for a message of one line.
std::string excerpt(const std::string& text) {
  constexpr std::size_t kMostBytes = 60;
  return text.size() <= kMostBytes ? text : text.substr(0, kMostBytes) + "...";
}

std::string why_bad_pattern(const std::string& pattern) {
  // An empty pattern would claim everything by accident.
  if (pattern.empty()) return "empty pattern matches every name; write '.' to mean that";
  const re2::RE2 compiled(pattern, re2::RE2::Quiet);
  if (compiled.ok()) return {};
  return fmt::format("bad regular expression '{}': {}; RE2 syntax is expected", excerpt(pattern),
                     excerpt(compiled.error()));
}

bool is_category_id(std::string_view id) {
  static const re2::RE2 grammar(R"([a-z][a-z0-9]*(\.[a-z0-9_]+)*)");
  return re2::RE2::FullMatch(re2::StringPiece(id.data(), id.size()), grammar);
}

std::string syntax_error(std::string_view description) {
  if (description.find("'%'") != std::string_view::npos) {
    return "'%' or a character beyond ASCII where none may be; is a quote typographic or missing?";
  }
  if (description.find("could not determine value type") != std::string_view::npos) {
    return "a value that is neither quoted text nor a list; is a quote typographic or missing?";
  }
  return one_line(from_ascii(description));
}

class Parser {
 public:
  explicit Parser(bool needs_runtime) : needs_runtime_(needs_runtime) {}

  RuleFile parse(const toml::table& root) {
    const bool all_known = check_keys(root, kFileKeys);
    RuleFile file;
    file.runtime = text(root, "runtime");
    if (all_known && !root.contains("runtime") && needs_runtime_) {
      report(1, "key 'runtime' is missing; name the runtime that the rules are for");
    }
    file.verified = text(root, "verified");
    file.modules = patterns(root, "modules");
    if (const toml::node* applies = root.get("applies_when")) {
      parse_applies_when(*applies, file);
    }
    if (const toml::node* rules = root.get("rule")) {
      parse_rules(*rules, file);
    } else if (all_known) {
      report(1, "no rules; each one begins with [[rule]]");
    }
    return file;
  }

  // The error nearest to the top of the file.
  [[nodiscard]] const std::optional<std::pair<std::uint32_t, std::string>>& error() const {
    return error_;
  }

 private:
  void report(std::uint32_t line, std::string message) {
    if (!error_ || line < error_->first) error_ = {line, one_line(message)};
  }

  // False if a key is mistyped: what then seems to be missing is not worth an error of its own.
  bool check_keys(const toml::table& table, std::span<const char* const> known) {
    bool all_known = true;
    for (const auto& [key, value] : table) {
      if (std::ranges::find(known, key.str()) != known.end()) continue;
      all_known = false;
      const std::string word = from_ascii(key.str());
      report(std::max<std::uint32_t>(1, key.source().begin.line),
             fmt::format("unknown key '{}'; {}", word, suggestion(word, known)));
    }
    return all_known;
  }

  std::string text(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    const std::string value = string_value(*node);
    if (!node->is_string() || value.empty()) {
      report(line_of(*node), fmt::format("'{}' must be a string, not empty", key));
    }
    return value;
  }

  bool flag(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return false;
    if (!node->is_boolean()) {
      report(line_of(*node), fmt::format("'{}' must be true or false", key));
    }
    return node->value_or(false);
  }

  // A string or a list of strings, each with its line.
  std::vector<std::pair<std::string, std::uint32_t>> strings(const toml::table& table,
                                                             std::string_view key) {
    std::vector<std::pair<std::string, std::uint32_t>> result;
    const toml::node* node = table.get(key);
    if (node == nullptr) return result;
    if (node->is_string()) {
      result.emplace_back(string_value(*node), line_of(*node));
      return result;
    }
    const toml::array* list = node->as_array();
    if (list == nullptr || list->empty()) {
      report(line_of(*node), fmt::format("'{}' must be a string or a list of strings", key));
      return result;
    }
    for (const toml::node& item : *list) {
      if (item.is_string()) {
        result.emplace_back(string_value(item), line_of(item));
      } else {
        report(line_of(item), fmt::format("'{}' must be a string or a list of strings", key));
      }
    }
    return result;
  }

  std::vector<std::string> patterns(const toml::table& table, std::string_view key) {
    std::vector<std::string> result;
    for (auto& [pattern, line] : strings(table, key)) {
      if (std::string problem = why_bad_pattern(pattern); !problem.empty()) {
        report(line, std::move(problem));
      }
      result.push_back(std::move(pattern));
    }
    return result;
  }

  void parse_applies_when(const toml::node& node, RuleFile& file) {
    const toml::table* table = node.as_table();
    if (table == nullptr || table->empty()) {
      report(line_of(node), "'applies_when' must be a table with 'function' or 'module'");
      return;
    }
    check_keys(*table, kAppliesKeys);
    file.applies_function = patterns(*table, "function");
    file.applies_module = patterns(*table, "module");
  }

  void parse_rules(const toml::node& node, RuleFile& file) {
    const toml::array* list = node.as_array();
    if (list == nullptr) {
      report(line_of(node), "'rule' must be a list of tables; each one begins with [[rule]]");
      return;
    }
    for (const toml::node& item : *list) {
      if (const toml::table* table = item.as_table()) {
        file.rules.push_back(parse_rule(*table));
      } else {
        report(line_of(item), "'rule' must be a list of tables; each one begins with [[rule]]");
      }
    }
  }

  ParsedRule parse_rule(const toml::table& table) {
    const bool all_known = check_keys(table, kRuleKeys);
    ParsedRule rule;
    rule.line = line_of(table);
    rule.category = text(table, "category");
    if (!rule.category.empty() && !is_category_id(rule.category)) {
      report(line_of(*table.get("category")),
             fmt::format("bad category id '{}'; write lower-case parts joined by dots, as in "
                         "gc.minor",
                         rule.category));
    }
    rule.function = patterns(table, "function");
    rule.module = patterns(table, "module");
    rule.file = patterns(table, "file");
    rule.thread = patterns(table, "thread");
    rule.under = patterns(table, "under");
    rule.kinds = kinds(table);
    rule.program = flag(table, "program");
    rule.where = position(table);
    rule.covers = flag(table, "covers");
    rule.transparent = flag(table, "transparent");
    if (all_known) check_rule(table, rule);
    return rule;
  }

  std::uint8_t kinds(const toml::table& table) {
    std::uint8_t bits = 0;
    for (const auto& [name, line] : strings(table, "kind")) {
      if (const auto kind = frame_kind_from(name)) {
        bits |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(*kind));
        continue;
      }
      std::vector<std::string> names;
      for (std::size_t i = 0; i < kFrameKinds; ++i) {
        names.emplace_back(to_string(static_cast<FrameKind>(i)));
      }
      report(line, fmt::format("unknown kind '{}'; {}", name, suggestion(name, names)));
    }
    return bits;
  }

  RulePosition position(const toml::table& table) {
    static constexpr std::array kNames = {"any", "leaf", "root"};
    const toml::node* node = table.get("where");
    if (node == nullptr) return RulePosition::any;
    const std::string name = text(table, "where");
    const auto found = std::ranges::find(kNames, name);
    if (found != kNames.end()) return static_cast<RulePosition>(found - kNames.begin());
    report(line_of(*node),
           fmt::format("unknown position '{}'; {}", name, suggestion(name, kNames)));
    return RulePosition::any;
  }

  // What no single key shows.
  void check_rule(const toml::table& table, const ParsedRule& rule) {
    const auto line_at = [&](std::string_view key) { return line_of(*table.get(key)); };
    const bool has_matcher =
        rule.program ||
        std::ranges::any_of(
            std::initializer_list<const char*>{"function", "module", "file", "thread", "kind"},
            [&](const char* key) { return table.contains(key); });
    if (!has_matcher) {
      report(rule.line,
             "rule matches nothing in particular; add function, module, file, thread, kind or "
             "program");
    }
    if (!table.contains("category") && !rule.transparent) {
      report(rule.line, "rule has no category; only a transparent rule may do without");
    }
    if (rule.transparent && rule.covers) {
      report(line_at("covers"), "a transparent rule decides nothing, so it cannot cover; drop one");
    }
    if (!rule.is_thread_root()) return;
    for (const char* key : {"covers", "transparent", "under", "where"}) {
      if (table.contains(key)) {
        report(line_at(key), fmt::format("'{}' is about frames, but this rule only names threads; "
                                         "drop it or add function, module or file",
                                         key));
      }
    }
  }

  bool needs_runtime_;
  std::optional<std::pair<std::uint32_t, std::string>> error_;
};

}  // namespace

bool ParsedRule::is_thread_root() const {
  return !thread.empty() && function.empty() && module.empty() && file.empty() && kinds == 0 &&
         !program;
}

Result<RuleFile> parse_rule_file(std::string_view name, std::string_view text, bool needs_runtime) {
  const auto fail_at = [&](std::uint32_t line, std::string_view message) {
    return fail(fmt::format("{}:{}: {}", one_line(name), line, message));
  };
  if (const auto line = first_line_not_utf8(text)) {
    return fail_at(*line, "bytes that are no UTF-8; save the file as UTF-8");
  }
  const toml::parse_result parsed = toml::parse(to_ascii(text));
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail_at(std::max<std::uint32_t>(1, error.source().begin.line),
                   syntax_error(error.description()));
  }
  Parser parser(needs_runtime);
  RuleFile file = parser.parse(parsed.table());
  if (const auto& error = parser.error()) return fail_at(error->first, error->second);
  return file;
}

}  // namespace perfgap
