// The embedded rule files as sources.
#include "analyzers/builtin_rules.h"

#include <algorithm>
#include <tuple>

#include "analyzers/categories.h"

namespace perfgap {

std::vector<RuleSource> builtin_rules() {
  std::vector<RuleSource> sources;
  for (const EmbeddedRules& embedded : embedded_rules()) {
    const RulePrecedence precedence =
        embedded.name == "common.toml" ? RulePrecedence::common : RulePrecedence::runtime;
    sources.push_back({std::string(embedded.name), std::string(embedded.text), precedence});
  }
  std::ranges::sort(sources, {}, [](const RuleSource& source) {
    return std::tie(source.precedence, source.name);
  });
  return sources;
}

}  // namespace perfgap
