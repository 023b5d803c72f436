// The rule files compiled into the program; the table's definition is generated from rules/*.toml.
#pragma once

#include <string_view>
#include <vector>

namespace perfgap {

struct EmbeddedRules {
  std::string_view name;  // "v8.toml"
  std::string_view text;
};

const std::vector<EmbeddedRules>& embedded_rules();

}  // namespace perfgap
