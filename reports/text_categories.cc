// The category table: each share with its interval, roll-ups unfolded, a column that sums to
// exactly 100 %.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/figures.h"
#include "reports/text_sections.h"
#include "reports/unicode.h"

namespace perfgap {
namespace {

// Rows below a thousandth in both columns are summed up in one, if there are several.
constexpr std::int64_t kSmall = 1000;

constexpr std::array<std::string_view, 3> kAlwaysShown = {"kernel.other", "unattributed",
                                                          "unsymbolised"};

// One line of the table.
struct Line {
  std::string label;
  std::size_t depth = 0;
  const CategoryShare* share = nullptr;  // null: several small ones in one
  std::int64_t spent_in = 0;
  std::int64_t samples = 0;
  std::int64_t tenths = 0;  // of a point: spent in, as printed
  int decimals = 1;         // of it
};

// A roll-up with its rows, or a category that stands alone (then `rows` is empty).
struct Group {
  Line head;
  std::vector<Line> rows;
};

Line line_of(const CategoryShare& share, std::string label, std::size_t depth) {
  return {std::move(label), depth, &share, share.spent_in, share.samples};
}

bool always_shown(const CategoryShare& share) {
  return std::ranges::find(kAlwaysShown, share.name) != kAlwaysShown.end();
}

bool hidden(const CategoryShare& share) {
  return share.spent_in == 0 && share.passes_through == 0 && !always_shown(share);
}

bool small(const Line& line, std::int64_t total) {
  return line.share != nullptr && !always_shown(*line.share) && line.spent_in < total / kSmall &&
         line.share->passes_through < total / kSmall;
}

std::vector<Group> groups_of(const Analysis& analysis) {
  std::vector<Group> groups;
  std::string prefix;  // "gc." while in the rows of roll-up gc
  for (const CategoryShare& share : analysis.categories) {
    if (share.is_rollup) {
      prefix = share.name + ".";
      groups.push_back({line_of(share, share.name, 0), {}});
    } else if (!prefix.empty() && (share.name.starts_with(prefix) || share.name + "." == prefix)) {
      const bool whole = share.name + "." == prefix;  // the part of `sys` that no dotted id claims
      groups.back().rows.push_back(
          line_of(share, whole ? share.name : share.name.substr(prefix.size()), 1));
    } else {
      prefix.clear();
      groups.push_back({line_of(share, share.name, 0), {}});
    }
  }
  std::vector<Group> shown;
  for (Group& group : groups) {
    std::erase_if(group.rows, [](const Line& row) { return hidden(*row.share); });
    if (group.head.share->is_rollup && group.rows.size() == 1) {
      group.head = line_of(*group.rows[0].share, group.rows[0].share->name, 0);
      group.rows.clear();
    }
    if (!group.rows.empty() || !hidden(*group.head.share)) shown.push_back(std::move(group));
  }
  return shown;
}

// Moves the small ones of `lines` into one line at the place of the first of them.
void sum_up_small(std::vector<Line>& lines, std::int64_t total) {
  const auto is_small = [&](const Line& line) { return small(line, total); };
  const std::int64_t count = std::ranges::count_if(lines, is_small);
  if (count < 2) return;
  Line sum;
  sum.label = fmt::format("{} more below 0.1 %", count);
  sum.depth = lines.front().depth;
  for (const Line& line : lines) {
    if (!is_small(line)) continue;
    sum.spent_in += line.spent_in;
    sum.samples += line.samples;
  }
  *std::ranges::find_if(lines, is_small) = std::move(sum);
  std::erase_if(lines, is_small);
}

void sum_up_small(std::vector<Group>& groups, std::int64_t total) {
  for (Group& group : groups) sum_up_small(group.rows, total);
  const auto is_small = [&](const Group& group) { return small(group.head, total); };
  std::vector<Line> heads;
  for (const Group& group : groups) {
    if (is_small(group)) heads.push_back(group.head);
  }
  if (heads.size() < 2) return;
  sum_up_small(heads, total);
  *std::ranges::find_if(groups, is_small) = {std::move(heads.front()), {}};
  std::erase_if(groups, is_small);
}

int decimals_of(const Line& line) {
  return line.share == nullptr ? 1 : decimals_for(half_width_points(line.share->spent_in_interval));
}

std::vector<Part> parts_of(const std::vector<Line>& lines) {
  std::vector<Part> parts;
  for (const Line& line : lines) parts.push_back({line.spent_in, line.decimals});
  return parts;
}

// Rows that can only be told in whole points cannot sum to a fraction of one.
bool needs_whole_points(const Group& group) {
  return std::ranges::any_of(group.rows, [](const Line& row) { return row.decimals == 0; }) &&
         std::ranges::all_of(
             group.rows, [](const Line& row) { return row.decimals == 0 || row.spent_in == 0; });
}

// Spent in as printed: the groups sum to 100 % exactly, and the rows of a group to the group.
void round_spent_in(std::vector<Group>& groups) {
  std::vector<Line> heads;
  for (Group& group : groups) {
    for (Line& row : group.rows) row.decimals = decimals_of(row);
    group.head.decimals = needs_whole_points(group) ? 0 : decimals_of(group.head);
    heads.push_back(group.head);
  }
  const std::vector<std::int64_t> tenths = apportion_points(parts_of(heads), 1000);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].head.tenths = tenths[i];
    const std::vector<std::int64_t> of_rows = apportion_points(parts_of(groups[i].rows), tenths[i]);
    for (std::size_t j = 0; j < of_rows.size(); ++j) groups[i].rows[j].tenths = of_rows[j];
  }
}

std::vector<Line> flatten(std::vector<Group> groups) {
  std::vector<Line> lines;
  for (Group& group : groups) {
    lines.push_back(std::move(group.head));
    lines.insert(lines.end(), group.rows.begin(), group.rows.end());
  }
  return lines;
}

// A column of figures, each followed by its interval; the figures end in the same place.
std::vector<std::string> align_figures(const std::vector<std::string>& figures,
                                       const std::vector<std::string>& intervals) {
  std::size_t widest = 0;
  for (const std::string& figure : figures) widest = std::max(widest, display_width(figure));
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    cells.push_back(std::string(widest - display_width(figures[i]), ' ') + figures[i] +
                    (intervals[i].empty() ? "" : " " + intervals[i]));
  }
  return cells;
}

std::vector<std::string> spent_in_cells(const std::vector<Line>& lines, bool known) {
  std::vector<std::string> figures;
  std::vector<std::string> intervals;
  for (const Line& line : lines) {
    const std::int64_t units = line.decimals == 0 ? line.tenths / 10 : line.tenths;
    figures.push_back(known ? percent(units, line.decimals) : std::string(kNotAvailable));
    intervals.push_back(line.share == nullptr
                            ? ""
                            : interval_text(line.share->spent_in_share,
                                            line.share->spent_in_interval, line.decimals));
  }
  // The total is exact, so it always supports a decimal.
  figures.push_back(known ? percent(1000, 1) : std::string(kNotAvailable));
  intervals.emplace_back();
  return align_figures(figures, intervals);
}

std::vector<std::string> passes_through_cells(const std::vector<Line>& lines, bool known) {
  std::vector<std::string> figures;
  std::vector<std::string> intervals;
  for (const Line& line : lines) {
    if (line.share == nullptr) {
      figures.emplace_back();
      intervals.emplace_back();
      continue;
    }
    const Interval& interval = line.share->passes_through_interval;
    const int decimals = decimals_for(half_width_points(interval));
    std::int64_t units = share_units(line.share->passes_through_share, decimals);
    // Rounding must not show less passing through than is spent in it.
    units = std::max(units, decimals == 0 ? line.tenths / 10 : line.tenths);
    figures.push_back(known ? percent(units, decimals) : std::string(kNotAvailable));
    intervals.push_back(interval_text(line.share->passes_through_share, interval, decimals));
  }
  figures.emplace_back();
  intervals.emplace_back();
  return align_figures(figures, intervals);
}

std::vector<std::string> captions(const Analysis& analysis) {
  if (!shares_known(analysis)) {
    return {"shares n/a: too few samples, or too short a run, for intervals; counts only"};
  }
  return {"± and [low, high]: 95 % intervals, this run only",
          analysis.share_moving ? "share still moving, run longer" : ""};
}

}  // namespace

void print_categories(Page& page, const Analysis& analysis) {
  if (analysis.samples == 0 || analysis.categories.empty()) return;
  const bool known = shares_known(analysis);
  std::vector<Group> groups = groups_of(analysis);
  if (known) sum_up_small(groups, analysis.total);
  round_spent_in(groups);
  const std::vector<Line> lines = flatten(groups);

  const std::vector<std::string> spent_in = spent_in_cells(lines, known);
  const std::vector<std::string> passes_through = passes_through_cells(lines, known);
  Table table({{.heading = metric_label(analysis), .max_width = page.width() / 2, .shrinks = true},
               {.heading = "spent in", .gap = 4},
               {.heading = "passes through", .gap = 3},
               {.heading = "samples", .align = Align::right, .gap = 3}});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    table.add_row({std::string(2 * lines[i].depth, ' ') + lines[i].label, spent_in[i],
                   passes_through[i], grouped(lines[i].samples)},
                  lines[i].depth == 0 ? Emphasis::none : Emphasis::faint);
  }
  table.add_row({"total", spent_in.back(), "", grouped(analysis.samples)}, Emphasis::strong);
  page.table(table);
  page.facts(captions(analysis), "  ");
}

}  // namespace perfgap
