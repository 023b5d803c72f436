// The embedded rule files as sources, in order of precedence.
#include "analyzers/builtin_rules.h"

#include <algorithm>

#include "analyzers/categories.h"

namespace perfgap {

std::vector<RuleSource> builtin_rules() {
  std::vector<RuleSource> sources;
  for (const EmbeddedRules& embedded : embedded_rules()) {
    const RulePrecedence precedence =
        embedded.name == "common.toml" ? RulePrecedence::common : RulePrecedence::runtime;
    sources.push_back({std::string(embedded.name), std::string(embedded.text), precedence});
  }
  std::ranges::stable_sort(sources, {}, &RuleSource::precedence);
  return sources;
}

}  // namespace perfgap
