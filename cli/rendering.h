// One analysed profile in the format the user asked for; the live run and `profile report` share
// it.
#pragma once

#include <string>
#include <string_view>

#include "analyzers/analysis.h"
#include "model/error.h"
#include "reports/folded.h"

namespace perfgap {

enum class ReportFormat { text, json, folded };

// What stdout shows. Text adapts to stdout's terminal.
std::string render(const Analysis& analysis, ReportFormat format, const FoldedOptions& folded);

// Writes a page to stdout, to the last byte.
Result<void> print_page(std::string_view page);

// 0, or 3 where the result is not to be trusted.
int exit_code_of(const Analysis& analysis);

}  // namespace perfgap
