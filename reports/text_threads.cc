// The busiest threads: their part of the samples, and what the kernel's accounting says of them.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "reports/figures.h"
#include "reports/text_sections.h"

namespace perfgap {
namespace {

constexpr std::size_t kThreadRows = 8;

struct Sums {
  std::int64_t weight = 0;
  std::int64_t samples = 0;
  CpuUse use;
  bool use_known = false;

  void add(const ThreadShare& thread) {
    weight += thread.weight;
    samples += thread.samples;
    if (!thread.use) return;
    use_known = true;
    use.cpu_ns += thread.use->cpu_ns;
    use.wait_ns += thread.use->wait_ns;
  }
};

std::string cores_cell(const Sums& sums, std::uint64_t run_ms) {
  if (!sums.use_known || run_ms == 0) return std::string(kNotAvailable);
  return cores(static_cast<double>(sums.use.cpu_ns) / (1e6 * static_cast<double>(run_ms)));
}

std::string wait_cell(const Sums& sums) {
  if (!sums.use_known) return std::string(kNotAvailable);
  const auto wait = static_cast<double>(sums.use.wait_ns);
  return percent_of(wait, static_cast<double>(sums.use.cpu_ns) + wait, 1);
}

}  // namespace

void print_threads(Page& page, const Analysis& analysis) {
  std::vector<Sums> rows;
  std::vector<const ThreadShare*> threads;
  Sums rest;
  Sums all;
  std::size_t more = 0;
  std::set<std::uint64_t> pids;
  for (const ThreadShare& thread : analysis.threads) {
    all.add(thread);
    if (thread.samples == 0) {
      ++more;
      rest.add(thread);
      continue;
    }
    pids.insert(thread.pid);
    if (rows.size() < kThreadRows) {
      threads.push_back(&thread);
      rows.emplace_back().add(thread);
    } else {
      ++more;
      rest.add(thread);
    }
  }
  if (rows.empty() || all.weight <= 0) return;

  std::vector<std::int64_t> weights;
  for (const Sums& row : rows) weights.push_back(row.weight);
  weights.push_back(rest.weight);
  const bool known = shares_known(analysis);
  const int decimals = decimals_for_samples(analysis.samples);
  const std::vector<std::int64_t> units = apportion(weights, decimals == 0 ? 100 : 1000);
  const std::uint64_t run_ms = run_of(analysis).run_ms;

  Table table({{.heading = "share", .align = Align::right},
               {.heading = "samples", .align = Align::right},
               {.heading = "cores", .align = Align::right},
               {.heading = "waited", .align = Align::right},
               {.heading = pids.size() > 1 ? "pid/tid" : "tid", .align = Align::right},
               {.heading = "thread", .shrinks = true}});
  const auto add = [&](const Sums& sums, std::int64_t share, std::string id, std::string name,
                       Emphasis emphasis) {
    table.add_row(
        {known ? percent(share, decimals) : std::string(kNotAvailable), grouped(sums.samples),
         cores_cell(sums, run_ms), wait_cell(sums), std::move(id), std::move(name)},
        emphasis);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ThreadShare& thread = *threads[i];
    add(rows[i], units[i],
        pids.size() > 1 ? fmt::format("{}/{}", thread.pid, thread.tid)
                        : fmt::format("{}", thread.tid),
        thread.name, Emphasis::none);
  }
  if (more > 0) {
    add(rest, units.back(), "",
        plural(static_cast<std::int64_t>(more), "more thread", "more threads"), Emphasis::faint);
  }
  if (rows.size() + more > 1) add(all, decimals == 0 ? 100 : 1000, "", "total", Emphasis::strong);
  page.table(table);
}

}  // namespace perfgap
