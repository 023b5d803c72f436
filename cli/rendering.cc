#include "cli/rendering.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

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

Result<void> print_page(std::string_view page) {
  if (std::fwrite(page.data(), 1, page.size(), stdout) == page.size() && std::fflush(stdout) == 0)
    return {};
  return fail(fmt::format(
      "standard output: cannot be written ({}); free space or send it elsewhere", strerror(errno)));
}

int exit_code_of(const Analysis& analysis) {
  return analysis.trust.trusted ? kExitDone : kExitUntrusted;
}

}  // namespace perfgap
