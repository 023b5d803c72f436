// The screen: the sections in their order, and the facts that several of them need.
#include "reports/text.h"

#include <algorithm>
#include <cstddef>

#include "reports/text_sections.h"
#include "reports/unicode.h"

namespace perfgap {
namespace {

constexpr int kMinWidth = 80;
constexpr int kMaxWidth =
    10'000;  // of any terminal; keeps a wrong value from filling memory with blanks

}  // namespace

const RunInfo& run_of(const Analysis& analysis) {
  static const RunInfo none;
  return analysis.profile == nullptr ? none : analysis.profile->run;
}

bool shares_known(const Analysis& analysis) {
  return analysis.total > 0 &&
         std::ranges::any_of(analysis.categories,
                             [](const CategoryShare& row) { return row.spent_in_interval.known; });
}

std::string short_command(std::string_view command) {
  constexpr std::size_t kColumns = 48;
  return elide_middle(printable(command), kColumns);
}

std::string metric_label(const Analysis& analysis) {
  std::string label = analysis.metric_type == "cpu" ? "CPU time" : analysis.metric_type;
  const EventInfo& event = run_of(analysis).event;
  if (event.excludes_kernel) label += ", user side";
  if (event.excludes_user) label += ", kernel side";
  return label;
}

std::string text_report(const Analysis& analysis, const TextOptions& options) {
  const int width = std::clamp(options.width, kMinWidth, kMaxWidth);
  Page page(static_cast<std::size_t>(width), options.colour);
  print_warnings(page, analysis);
  page.blank();
  print_header(page, analysis);
  print_lifetimes(page, analysis);
  page.blank();
  print_verdict(page, analysis);
  page.blank();
  print_quality(page, analysis);
  page.blank();
  print_categories(page, analysis);
  page.blank();
  print_functions(page, analysis);
  page.blank();
  print_threads(page, analysis);
  page.blank();
  print_notes(page, analysis);
  page.blank();
  print_footer(page, analysis);
  return std::move(page).text();
}

}  // namespace perfgap
