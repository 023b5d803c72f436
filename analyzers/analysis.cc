// analyze(): marks the profile and fills each part of the result.
#include "analyzers/analysis.h"

#include "analyzers/category_shares.h"
#include "analyzers/function_shares.h"
#include "analyzers/measures.h"
#include "analyzers/stack_quality.h"
#include "analyzers/thread_shares.h"
#include "analyzers/trust.h"
#include "analyzers/utilisation.h"

namespace perfgap {
namespace {

void name_metric(const Profile& profile, Analysis& analysis) {
  analysis.value_index = profile.default_value_index();
  if (analysis.value_index >= profile.value_types().size()) return;
  const ValueType& type = profile.value_types()[analysis.value_index];
  analysis.metric_type = profile.text(type.type);
  analysis.metric_unit = profile.text(type.unit);
}

std::int64_t lost_samples(const RunInfo& run) {
  std::uint64_t lost = 0;
  for (const auto& [cause, count] : run.losses) lost += count;
  return static_cast<std::int64_t>(lost);
}

}  // namespace

Analysis analyze(const Profile& profile, const CategoryRules& rules) {
  Analysis analysis;
  analysis.profile = &profile;
  analysis.rule_hash = rules.hash();
  name_metric(profile, analysis);
  const CategoryMarks marks = mark(profile, rules);
  const Measures measures(profile, analysis.value_index);
  analysis.total = measures.total_weight();
  analysis.samples = measures.total_count();
  analysis.lost = lost_samples(profile.run);

  CategoryTable categories = category_shares(marks, measures);
  analysis.categories = std::move(categories.rows);
  analysis.share_moving = categories.largest_moves;
  analysis.functions = function_shares(profile, marks, measures);
  analysis.threads = thread_shares(profile, measures);
  analysis.stacks = stack_quality(profile, marks, measures);
  analysis.utilisation = utilisation(profile, measures);
  if (analysis.metric_unit == "nanoseconds") {
    analysis.utilisation.cpu_by_samples_ns = static_cast<double>(analysis.total);
  }
  analysis.delivered_hz = share_of(static_cast<double>(analysis.samples),
                                   analysis.utilisation.cpu_by_accounting_ns / 1e9);
  analysis.trust = judge_trust(analysis);
  analysis.notes = notes(analysis);
  return analysis;
}

}  // namespace perfgap
