// What else the reader should know, and which tool and rules made the figures when.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "reports/text_sections.h"

namespace perfgap {
namespace {

constexpr std::size_t kMostNotes = 10;

std::string start_time(std::int64_t unix_ns) {
  const auto unix_s = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  std::tm utc{};
  if (unix_ns <= 0 || gmtime_r(&unix_s, &utc) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace

void print_notes(Page& page, const Analysis& analysis) {
  const std::size_t shown = std::min(analysis.notes.size(), kMostNotes);
  for (std::size_t i = 0; i < shown; ++i) page.paragraph("note: ", analysis.notes[i]);
  if (analysis.notes.size() > shown) {
    page.line(fmt::format("and {} more notes: see the JSON report", analysis.notes.size() - shown));
  }
}

void print_footer(Page& page, const Analysis& analysis) {
  const RunInfo& run = run_of(analysis);
  page.facts(std::vector{"perfgap" + (run.empty() ? "" : " " + run.tool_version),
                         analysis.rule_hash.empty() ? "" : "rules " + analysis.rule_hash,
                         start_time(run.start_unix_ns)});
}

}  // namespace perfgap
