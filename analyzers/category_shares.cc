// Tallies by category and by set of categories, then rows: roll-ups with their parts.
#include "analyzers/category_shares.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzers/compiled_rules.h"

namespace perfgap {
namespace {

constexpr std::int64_t kWellFilled = 20;  // hits from which a design effect is worth borrowing

struct CategoryTally {
  std::int64_t weight = 0;
  std::int64_t samples = 0;
  Measures::Windows windows{};

  void add(const CategoryTally& other) {
    weight += other.weight;
    samples += other.samples;
    for (std::size_t i = 0; i < windows.size(); ++i) windows[i] += other.windows[i];
  }
};

// What is known of a category, or of a roll-up of several.
struct Share {
  CategoryTally spent_in;
  CategoryTally passes_through;
};

std::string_view first_part(std::string_view id) {
  return id.substr(0, id.find('.'));
}

class Table {
 public:
  Table(const CategoryMarks& marks, const Measures& measures)
      : marks_(marks), rules_(*marks.rules), measures_(measures) {
    for (std::size_t i = 0; i < rules_.category_count(); ++i) {
      const auto [found, is_new] = rollup_index_.try_emplace(
          std::string(first_part(rules_.name(CategoryId(i)))), rollup_parts_.size());
      if (is_new) rollup_parts_.emplace_back();
      rollup_parts_[found->second].push_back(i);
      rollup_of_.push_back(found->second);
    }
    categories_.resize(rules_.category_count());
    rollups_.resize(rollup_parts_.size());
    tally_samples();
    find_design_effect_if_none();
  }

  CategoryTable build() {
    CategoryTable table;
    for (const std::size_t rollup : rollups_in_order()) append_rollup(rollup, table.rows);
    const auto largest = std::ranges::max_element(
        categories_, {}, [](const Share& share) { return share.spent_in.weight; });
    table.largest_moves = measures_.moves(largest->spent_in.windows);
    return table;
  }

 private:
  void tally_samples() {
    std::vector<CategoryTally> by_set(marks_.category_sets.size());
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      CategoryTally& spent = categories_[marks_.spent_in[i].category.index()].spent_in;
      add_sample(spent, i);
      add_sample(by_set[marks_.passes_through[i]], i);
    }
    for (std::size_t set = 0; set < by_set.size(); ++set) {
      if (by_set[set].samples != 0) add_set(marks_.category_sets[set], by_set[set]);
    }
    for (std::size_t i = 0; i < categories_.size(); ++i) {
      rollups_[rollup_of_[i]].spent_in.add(categories_[i].spent_in);
    }
  }

  void add_sample(CategoryTally& tally, std::size_t sample) const {
    tally.weight += measures_.weight(sample);
    tally.samples += measures_.count(sample);
    if (measures_.has_windows()) {
      tally.windows[measures_.window(sample)] += static_cast<double>(measures_.weight(sample));
    }
  }

  // A roll-up's passes-through is a union: once per sample, however many of its parts are on the
  // stack.
  void add_set(const std::vector<CategoryId>& set, const CategoryTally& tally) {
    std::vector<std::size_t> rollups;
    for (const CategoryId category : set) {
      categories_[category.index()].passes_through.add(tally);
      rollups.push_back(rollup_of_[category.index()]);
    }
    std::ranges::sort(rollups);
    rollups.erase(std::ranges::unique(rollups).begin(), rollups.end());
    for (const std::size_t rollup : rollups) rollups_[rollup].passes_through.add(tally);
  }

  void find_design_effect_if_none() {
    for (const Share& share : categories_) {
      if (share.spent_in.samples < kWellFilled) continue;
      deff_if_none_ = std::max(deff_if_none_, measures_.design_effect(share.spent_in.windows));
    }
  }

  [[nodiscard]] bool is_fixed(std::size_t category) const {
    const CategoryRules::Compiled& compiled = rules_.compiled();
    const CategoryId id(category);
    return id == compiled.kernel_other || id == compiled.unattributed ||
           id == compiled.unsymbolised;
  }

  [[nodiscard]] bool is_shown(std::size_t category) const {
    return is_fixed(category) || categories_[category].passes_through.samples != 0;
  }

  // By weight; what no rule explains comes last.
  [[nodiscard]] std::vector<std::size_t> rollups_in_order() const {
    const CategoryRules::Compiled& compiled = rules_.compiled();
    std::vector<std::tuple<int, std::int64_t, std::string_view, std::size_t>> keys;
    for (const auto& [name, rollup] : rollup_index_) {
      if (std::ranges::none_of(rollup_parts_[rollup], [&](auto c) { return is_shown(c); })) {
        continue;
      }
      const int rank = rollup == rollup_of_[compiled.unsymbolised.index()]   ? 2
                       : rollup == rollup_of_[compiled.unattributed.index()] ? 1
                                                                             : 0;
      keys.emplace_back(rank, -rollups_[rollup].spent_in.weight, name, rollup);
    }
    std::ranges::sort(keys);
    std::vector<std::size_t> order;
    for (const auto& key : keys) order.push_back(std::get<3>(key));
    return order;
  }

  void append_rollup(std::size_t rollup, std::vector<CategoryShare>& rows) const {
    std::vector<std::size_t> parts = rollup_parts_[rollup];
    std::erase_if(parts, [&](std::size_t category) { return !is_shown(category); });
    std::ranges::sort(parts, [&](std::size_t left, std::size_t right) {
      const auto key = [&](std::size_t category) {
        return std::pair(-categories_[category].spent_in.weight, rules_.name(CategoryId(category)));
      };
      return key(left) < key(right);
    });
    const std::string name(first_part(rules_.name(CategoryId(parts.front()))));
    rows.push_back(row(name, true, rollups_[rollup]));
    if (parts.size() == 1 && rules_.name(CategoryId(parts.front())) == name) return;
    for (const std::size_t category : parts) {
      rows.push_back(
          row(std::string(rules_.name(CategoryId(category))), false, categories_[category]));
    }
  }

  [[nodiscard]] CategoryShare row(std::string name, bool is_rollup, const Share& share) const {
    const auto total = static_cast<double>(measures_.total_weight());
    CategoryShare row;
    row.name = std::move(name);
    row.is_rollup = is_rollup;
    row.passes_through = share.passes_through.weight;
    row.spent_in = share.spent_in.weight;
    row.samples = share.spent_in.samples;
    row.spent_in_share = share_of(static_cast<double>(row.spent_in), total);
    row.passes_through_share = share_of(static_cast<double>(row.passes_through), total);
    row.spent_in_interval = measures_.interval(share.spent_in.windows, deff_if_none_);
    row.passes_through_interval = measures_.interval(share.passes_through.windows, deff_if_none_);
    return row;
  }

  const CategoryMarks& marks_;
  const CategoryRules& rules_;
  const Measures& measures_;
  std::vector<Share> categories_;  // by CategoryId
  std::vector<Share> rollups_;
  std::vector<std::size_t> rollup_of_;  // by CategoryId
  std::vector<std::vector<std::size_t>> rollup_parts_;
  std::map<std::string, std::size_t> rollup_index_;
  double deff_if_none_ = 1;
};

}  // namespace

CategoryTable category_shares(const CategoryMarks& marks, const Measures& measures) {
  return Table(marks, measures).build();
}

}  // namespace perfgap
