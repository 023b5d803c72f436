// The functions that used most, by self weight.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "reports/figures.h"
#include "reports/function_name.h"
#include "reports/text_sections.h"
#include "reports/unicode.h"

namespace perfgap {
namespace {

constexpr std::size_t kFunctionRows = 15;

// The marks that V8's own maps use, so that they are known to some and short for all.
std::string_view tier_mark(Tier tier) {
  switch (tier) {
    case Tier::none:
      return "";
    case Tier::interpreted:
      return "~";
    case Tier::baseline:
      return "^";
    case Tier::midtier:
      return "+";
    case Tier::optimised:
      return "*";
  }
  return "";
}

std::string where(const FunctionShare& function) {
  std::string text = function.module;
  std::string marks;
  for (const Tier tier : function.tiers) marks += tier_mark(tier);
  return marks.empty() ? text : text + " " + marks;
}

std::string last_component(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The name, and its source line where there is room for both; the name gives way last.
std::string name_cell(const FunctionShare& function, std::size_t width) {
  const std::string name = shorten_name(printable(function.name), width);
  const std::string location = printable(last_component(function.location));
  const std::size_t room = width - std::min(width, display_width(name) + 2);
  if (location.empty() || room < std::min<std::size_t>(display_width(location), 12)) return name;
  return name + "  " + elide_middle(location, room);
}

struct Figures {
  std::vector<std::string> self;
  std::vector<std::string> total;
  std::string rest;  // of the functions not shown
  std::string whole;
};

Figures figures_of(const Analysis& analysis, std::size_t rows) {
  Figures figures;
  std::vector<std::int64_t> self;
  std::int64_t rest = analysis.total;
  for (std::size_t i = 0; i < rows; ++i) {
    self.push_back(analysis.functions[i].self);
    rest -= analysis.functions[i].self;
  }
  self.push_back(std::max<std::int64_t>(rest, 0));

  const bool known = shares_known(analysis);
  const int decimals = decimals_for_samples(analysis.samples);
  const std::int64_t whole = decimals == 0 ? 100 : 1000;
  const std::vector<std::int64_t> units = apportion(self, whole);
  for (std::size_t i = 0; i < rows; ++i) {
    const FunctionShare& function = analysis.functions[i];
    if (!known) {
      figures.self.push_back(weight_text(function.self, analysis.metric_unit));
      figures.total.push_back(weight_text(function.total, analysis.metric_unit));
      continue;
    }
    figures.self.push_back(percent(units[i], decimals));
    const double share = static_cast<double>(function.total) / static_cast<double>(analysis.total);
    figures.total.push_back(percent(std::max(share_units(share, decimals), units[i]), decimals));
  }
  if (self.back() > 0) {
    figures.rest =
        known ? percent(units.back(), decimals) : weight_text(self.back(), analysis.metric_unit);
  }
  figures.whole =
      known ? percent(whole, decimals) : weight_text(analysis.total, analysis.metric_unit);
  return figures;
}

}  // namespace

void print_functions(Page& page, const Analysis& analysis) {
  const auto& functions = analysis.functions;
  const auto with_self = static_cast<std::size_t>(
      std::ranges::count_if(functions, [](const FunctionShare& f) { return f.self > 0; }));
  const std::size_t rows = std::min(with_self, kFunctionRows);
  if (rows == 0 || analysis.total <= 0) return;

  // Cells of the columns around the name first: what they leave is the name's.
  constexpr std::size_t kMaxSide = 19;
  const Figures figures = figures_of(analysis, rows);
  std::array<std::size_t, 4> sides = {4, 5, 6, 8};
  bool tiers = false;
  for (std::size_t i = 0; i < rows; ++i) {
    const FunctionShare& function = functions[i];
    sides[0] = std::max(sides[0], display_width(figures.self[i]));
    sides[1] = std::max(sides[1], display_width(figures.total[i]));
    sides[2] = std::max(sides[2], std::min(kMaxSide, display_width(printable(where(function)))));
    sides[3] = std::max(sides[3], std::min(kMaxSide, display_width(printable(function.category))));
    tiers |= !function.tiers.empty() && function.tiers.back() != Tier::none;
  }
  sides[0] = std::max(sides[0], display_width(figures.whole));
  const std::size_t width =
      page.width() - std::accumulate(sides.begin(), sides.end(), std::size_t{10});

  Table table({{.heading = "self", .align = Align::right},
               {.heading = "total", .align = Align::right},
               {.heading = "function", .shrinks = true},
               {.heading = "module", .max_width = kMaxSide},
               {.heading = "category", .max_width = kMaxSide}});
  for (std::size_t i = 0; i < rows; ++i) {
    table.add_row({figures.self[i], figures.total[i], name_cell(functions[i], width),
                   where(functions[i]), functions[i].category});
  }
  if (!figures.rest.empty()) {
    const std::size_t more = with_self - rows;
    table.add_row(
        {figures.rest, "",
         more > 0 ? plural(static_cast<std::int64_t>(more), "more function", "more functions")
                  : "samples without a stack"},
        Emphasis::faint);
  }
  table.add_row({figures.whole, "", "total"}, Emphasis::strong);
  page.table(table);
  if (tiers)
    page.line("  tiers: ~ interpreted  ^ baseline  + mid-tier  * optimised", Emphasis::faint);
}

}  // namespace perfgap
