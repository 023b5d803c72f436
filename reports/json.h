// The same results for programs. Schema: docs/reference/report-json.md.
#pragma once

#include <string>

#include "analyzers/analysis.h"

namespace perfgap {

std::string json_report(const Analysis& analysis);

}  // namespace perfgap
