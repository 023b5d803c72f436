// The same results for programs: every field of the analysis, keys in a fixed order.
#include "reports/json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/utf8.h"

namespace perfgap {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kReportSchema = "perfgap.report/1";

// Names may be any bytes; the same escape as in the saved file keeps them apart.
Json text(std::string_view bytes) {
  return escape_to_utf8(bytes);
}

// JSON knows neither NaN nor infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json interval(const Interval& interval) {
  if (!interval.known) return nullptr;
  return Json::array({number(interval.low), number(interval.high)});
}

// A share without an interval is not one to build on: null, as the text says n/a.
Json share(double value, const Interval& interval) {
  return interval.known ? number(value) : Json(nullptr);
}

Json texts(const std::vector<std::string>& items) {
  Json array = Json::array();
  for (const std::string& item : items) array.push_back(text(item));
  return array;
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::cpu_bound:
      return "cpu_bound";
    case Verdict::busy:
      return "busy";
    case Verdict::idle:
      return "idle";
    case Verdict::unknown:
      break;
  }
  return "unknown";
}

Json metric(const Analysis& analysis) {
  return {
      {"type", text(analysis.metric_type)},
      {"unit", text(analysis.metric_unit)},
      {"total", analysis.total},
      {"samples", analysis.samples},
      {"lost_samples", analysis.lost},
      {"delivered_hz", analysis.delivered_hz > 0 ? number(analysis.delivered_hz) : Json(nullptr)},
      {"share_moving", analysis.share_moving}};
}

Json utilisation(const Utilisation& use) {
  const bool known = use.verdict != Verdict::unknown;
  const auto if_known = [](bool condition, double value) {
    return condition ? number(value) : Json(nullptr);
  };
  Json launchers = Json::array();
  for (const Utilisation::Launcher& launcher : use.launchers) {
    launchers.push_back({{"pid", launcher.pid},
                         {"cores", number(launcher.cores)},
                         {"child_pid", launcher.child_pid},
                         {"child_command", text(launcher.child_command)},
                         {"child_cores", number(launcher.child_cores)},
                         {"counted", launcher.counted}});
  }
  return {{"verdict", verdict_name(use.verdict)},
          {"cores", if_known(known, use.cores)},
          {"wait_share", if_known(known, use.wait_share)},
          {"user_share", if_known(use.split_known, use.user_share)},
          {"kernel_share", if_known(use.split_known, use.kernel_share)},
          {"busiest_thread", text(use.busiest_thread)},
          {"busiest_thread_cores", if_known(known, use.busiest_thread_cores)},
          {"cpu_by_accounting_ns", if_known(known, use.cpu_by_accounting_ns)},
          {"cpu_by_samples_ns", if_known(use.cpu_by_samples_ns > 0, use.cpu_by_samples_ns)},
          {"launchers", std::move(launchers)}};
}

Json stacks(const StackQuality& stacks) {
  Json incomplete = Json::array();
  for (const auto& [cause, samples] : stacks.incomplete) {
    incomplete.push_back({{"cause", to_string(cause)}, {"samples", samples}});
  }
  return {{"with_user_stack_samples", stacks.with_user_stack},
          {"complete_samples", stacks.complete},
          {"incomplete", std::move(incomplete)},
          {"unsymbolised_leaf_samples", stacks.unsymbolised_leaf}};
}

Json category(const CategoryShare& row, bool is_rollup) {
  return {{"name", text(row.name)},
          {"is_rollup", is_rollup},
          {"samples", row.samples},
          {"spent_in", row.spent_in},
          {"spent_in_share", share(row.spent_in_share, row.spent_in_interval)},
          {"spent_in_interval", interval(row.spent_in_interval)},
          {"passes_through", row.passes_through},
          {"passes_through_share", share(row.passes_through_share, row.passes_through_interval)},
          {"passes_through_interval", interval(row.passes_through_interval)}};
}

// A roll-up that no row follows is a category of its own here, so that the rows that are no
// roll-ups sum to the total.
Json categories(const std::vector<CategoryShare>& rows) {
  Json array = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool followed = i + 1 < rows.size() && !rows[i + 1].is_rollup;
    array.push_back(category(rows[i], rows[i].is_rollup && followed));
  }
  return array;
}

Json function(const FunctionShare& row) {
  Json tiers = Json::array();
  for (const Tier tier : row.tiers) {
    if (tier != Tier::none) tiers.push_back(to_string(tier));
  }
  return {{"name", text(row.name)},
          {"module", text(row.module)},
          {"location", text(row.location)},
          {"category", text(row.category)},
          {"kind", to_string(row.kind)},
          {"tiers", std::move(tiers)},
          {"self", row.self},
          {"total", row.total}};
}

Json thread(const ThreadShare& row) {
  return {{"pid", row.pid},
          {"tid", row.tid},
          {"name", text(row.name)},
          {"samples", row.samples},
          {"weight", row.weight},
          {"cpu_ns", row.use ? Json(row.use->cpu_ns) : Json(nullptr)},
          {"wait_ns", row.use ? Json(row.use->wait_ns) : Json(nullptr)}};
}

// The manifest's own spelling, without what a newer version's file may add: keys of a report are
// stable.
Json run_facts(const Analysis& analysis) {
  if (analysis.profile == nullptr || analysis.profile->run.empty()) return nullptr;
  RunInfo run = analysis.profile->run;
  run.unknown_json.clear();
  return Json::parse(run_info_to_json(run));
}

template <typename Row>
Json rows(const std::vector<Row>& items, Json (*one)(const Row&)) {
  Json array = Json::array();
  for (const Row& item : items) array.push_back(one(item));
  return array;
}

}  // namespace

std::string json_report(const Analysis& analysis) {
  const Json report = {
      {"schema", kReportSchema},
      {"rule_hash", text(analysis.rule_hash)},
      {"metric", metric(analysis)},
      {"trust", {{"trusted", analysis.trust.trusted}, {"reasons", texts(analysis.trust.reasons)}}},
      {"utilisation", utilisation(analysis.utilisation)},
      {"stacks", stacks(analysis.stacks)},
      {"categories", categories(analysis.categories)},
      {"functions", rows(analysis.functions, function)},
      {"threads", rows(analysis.threads, thread)},
      {"notes", texts(analysis.notes)},
      {"run", run_facts(analysis)}};
  return report.dump(2) + "\n";
}

}  // namespace perfgap
