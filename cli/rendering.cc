#include "cli/rendering.h"

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "reports/json.h"
#include "reports/text.h"

namespace perfgap {

std::string render(const Analysis& analysis, ReportFormat format, const FoldedOptions& folded) {
  switch (format) {
    case ReportFormat::json:
      return json_report(analysis);
    case ReportFormat::folded:
      return folded_stacks(*analysis.profile, analysis.value_index, folded);
    case ReportFormat::text:
      break;
  }
  return text_report(analysis, {.width = stdout_width(), .colour = stdout_colour()});
}

int exit_code_of(const Analysis& analysis) {
  return analysis.trust.trusted ? kExitDone : kExitUntrusted;
}

}  // namespace perfgap
