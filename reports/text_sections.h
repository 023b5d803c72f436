// The sections of the text report, in the order they appear. Each prints nothing where it has
// nothing to say.
#pragma once

#include <string>
#include <string_view>

#include "analyzers/analysis.h"
#include "reports/text_layout.h"

namespace perfgap {

void print_warnings(Page& page,
                    const Analysis& analysis);  // low trust, idle, launcher: before all else
void print_header(Page& page, const Analysis& analysis);  // what ran, and how it was sampled
void print_lifetimes(Page& page,
                     const Analysis& analysis);  // processes that ended or became another program
void print_verdict(Page& page, const Analysis& analysis);  // how busy the target was
void print_quality(Page& page, const Analysis& analysis);  // how far the figures can be trusted
void print_categories(Page& page, const Analysis& analysis);
void print_functions(Page& page, const Analysis& analysis);
void print_threads(Page& page, const Analysis& analysis);
void print_notes(Page& page, const Analysis& analysis);
void print_footer(Page& page, const Analysis& analysis);

// What the sections share.

// The run's facts; those of an empty run where the analysis has no profile.
const RunInfo& run_of(const Analysis& analysis);
// Whether shares may be shown: there is weight, and the run is long enough for intervals. Else
// counts only.
bool shares_known(const Analysis& analysis);
// A command line within a sentence: its start and end.
std::string short_command(std::string_view command);
std::string metric_label(const Analysis& analysis);  // "CPU time", "cycles"

}  // namespace perfgap
