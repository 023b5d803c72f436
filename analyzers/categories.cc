// Rule sets: sources in order of precedence -> one compiled set.
#include "analyzers/categories.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzers/compiled_rules.h"

namespace perfgap {
namespace {

std::vector<PatternId> add_all(PatternSet& set, const std::vector<std::string>& patterns) {
  std::vector<PatternId> ids;
  for (const std::string& pattern : patterns) ids.push_back(set.add(pattern));
  std::ranges::sort(ids);
  return ids;
}

// FNV-1a over the texts, in order. Tells rule sets apart, wherever their files lie; it guards
// against nothing.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  [[nodiscard]] std::string hex_digits() const { return fmt::format("{:012x}", state_ >> 16); }

 private:
  void add_byte(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3; }
  std::uint64_t state_ = 0xcbf29ce484222325;
};

struct ParsedSource {
  const RuleSource* source;
  RuleFile file;
  RulePrecedence precedence;
};

Result<std::vector<ParsedSource>> parse_in_order(std::span<const RuleSource> sources) {
  std::vector<ParsedSource> parsed;
  for (const RuleSource& source : sources) {
    const bool is_builtin = source.precedence != RulePrecedence::user;
    auto file = parse_rule_file(source.name, source.text, is_builtin);
    if (!file) return std::unexpected(file.error());
    const RulePrecedence precedence =
        is_builtin && file->runtime == "common" ? RulePrecedence::common : source.precedence;
    parsed.push_back({&source, *std::move(file), precedence});
  }
  // Of equal precedence, the source given first comes first.
  std::ranges::sort(
      parsed, {}, [](const ParsedSource& item) { return std::pair(item.precedence, item.source); });
  return parsed;
}

}  // namespace

CategoryId CategoryRules::Compiled::category(const std::string& name) {
  const auto [found, is_new] = category_index.try_emplace(name, CategoryId(categories.size()));
  if (is_new) categories.push_back(name);
  return found->second;
}

void CategoryRules::Compiled::add_file(const RuleSource& source, const RuleFile& file) {
  const auto file_index = static_cast<std::uint32_t>(files.size());
  files.push_back({.runtime_modules = add_all(modules, file.modules),
                   .applies_functions = add_all(functions, file.applies_function),
                   .applies_modules = add_all(modules, file.applies_module)});
  for (const ParsedRule& parsed : file.rules) {
    RuleMatcher matcher;
    if (!parsed.category.empty()) matcher.category = category(parsed.category);
    matcher.file = file_index;
    matcher.functions = add_all(functions, parsed.function);
    matcher.modules = add_all(modules, parsed.module);
    matcher.sources = add_all(sources, parsed.file);
    matcher.threads = add_all(threads, parsed.thread);
    if (!parsed.under.empty()) {
      auto condition = add_all(functions, parsed.under);
      const auto known = std::ranges::find(under_conditions, condition);
      matcher.under = static_cast<std::uint32_t>(known - under_conditions.begin());
      if (known == under_conditions.end()) under_conditions.push_back(std::move(condition));
    }
    matcher.kinds = parsed.kinds;
    matcher.program = parsed.program;
    matcher.where = parsed.where;
    matcher.covers = parsed.covers;
    matcher.transparent = parsed.transparent;
    matcher.thread_root = parsed.is_thread_root();
    rules.push_back({matcher.category, source.name, parsed.line, file.verified});
    matchers.push_back(std::move(matcher));
  }
}

Result<CategoryRules> CategoryRules::load(std::span<const RuleSource> sources) {
  auto parsed = parse_in_order(sources);
  if (!parsed) return std::unexpected(parsed.error());

  auto compiled = std::make_unique<Compiled>();
  compiled->category("");
  Hash hash;
  for (const ParsedSource& item : *parsed) {
    hash.add(item.source->text);
    compiled->add_file(*item.source, item.file);
  }
  compiled->hash = hash.hex_digits();
  compiled->kernel_other = compiled->category("kernel.other");
  compiled->unattributed = compiled->category("unattributed");
  compiled->unsymbolised = compiled->category("unsymbolised");
  for (PatternSet* set :
       {&compiled->functions, &compiled->modules, &compiled->sources, &compiled->threads}) {
    if (!set->compile()) {
      return fail("rules: the patterns together need too much memory; use fewer or simpler ones");
    }
  }
  return CategoryRules(std::move(compiled));
}

CategoryRules::CategoryRules(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
CategoryRules::CategoryRules(CategoryRules&&) noexcept = default;
CategoryRules& CategoryRules::operator=(CategoryRules&&) noexcept = default;
CategoryRules::~CategoryRules() = default;

std::string_view CategoryRules::name(CategoryId category) const {
  return compiled_->categories[category.index()];
}
std::size_t CategoryRules::category_count() const {
  return compiled_->categories.size();
}
std::span<const Rule> CategoryRules::rules() const {
  return compiled_->rules;
}
std::string CategoryRules::hash() const {
  return compiled_->hash;
}

std::string_view to_string(DecisionStep step) {
  switch (step) {
    case DecisionStep::kernel_frame:
      return "kernel frame with a rule";
    case DecisionStep::kernel_other:
      return "kernel frames, none that a rule decides";
    case DecisionStep::thread_root:
      return "rule of the thread";
    case DecisionStep::user_frame:
      return "first frame with a rule";
    case DecisionStep::covering_rule:
      return "rule that covers its helpers";
    case DecisionStep::unattributed:
      return "names, but no rule that decides";
    case DecisionStep::unsymbolised:
      return "no name";
  }
  return "";
}

}  // namespace perfgap
