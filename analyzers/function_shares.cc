// The function table.
#include "analyzers/function_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analyzers/compiled_rules.h"
#include "analyzers/function_groups.h"

namespace perfgap {
namespace {

// What a function's frames add up to. Where they differ in kind or rule, the heaviest speaks for
// the function.
struct FunctionTally {
  std::int64_t self = 0;
  std::int64_t total = 0;
  std::array<std::int64_t, kFrameKinds> by_kind{};
  std::array<bool, kTiers> tiers{};
  std::map<CategoryId, std::int64_t> by_category;
};

std::string location(const Profile& profile, const FunctionGroup& group) {
  const std::string_view file = profile.text(group.source);
  if (file.empty() || group.line == 0) return std::string(file);
  return fmt::format("{}:{}", file, group.line);
}

FunctionShare share(const Profile& profile, const CategoryRules& rules, const FunctionGroup& group,
                    const FunctionTally& tally) {
  FunctionShare share;
  share.name = group.name.is_none() ? "(no name)" : std::string(profile.text(group.name));
  const std::string_view module = profile.text(group.module);
  share.module = module.substr(module.rfind('/') + 1);
  share.location = location(profile, group);
  share.self = tally.self;
  share.total = tally.total;
  for (std::size_t i = 1; i < kTiers; ++i) {
    if (tally.tiers[i]) share.tiers.push_back(static_cast<Tier>(i));
  }
  share.kind =
      static_cast<FrameKind>(std::ranges::max_element(tally.by_kind) - tally.by_kind.begin());
  if (!tally.by_category.empty()) {
    const auto heaviest = std::ranges::max_element(tally.by_category, {},
                                                   [](const auto& entry) { return entry.second; });
    share.category = rules.name(heaviest->first);
  }
  return share;
}

}  // namespace

std::vector<FunctionShare> function_shares(const Profile& profile, const CategoryMarks& marks,
                                           const Measures& measures) {
  const FunctionGroups groups(profile);
  std::vector<FunctionTally> tallies(groups.groups().size());
  const auto below =
      weight_below(profile, [&](std::size_t sample) { return measures.weight(sample); });
  for_each_outermost(profile, groups, [&](StackId node, std::size_t group) {
    tallies[group].total += below[node.index()];
  });
  for (std::size_t i = 1; i < profile.stack_count(); ++i) {
    const Frame& frame = profile.frame(profile.node(StackId(i)).frame);
    FunctionTally& tally = tallies[groups.of(profile.node(StackId(i)).frame)];
    tally.by_kind[static_cast<std::size_t>(frame.kind)] += below[i];
    tally.tiers[static_cast<std::size_t>(frame.tier)] = true;
    const RuleIndex rule = marks.node_rule[i];
    tally.by_category[rule == kNoRule ? CategoryId() : marks.rules->rules()[rule].category] +=
        below[i];
  }
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const StackId leaf = profile.samples().stack[i];
    if (leaf.is_none()) continue;
    tallies[groups.of(profile.node(leaf).frame)].self += measures.weight(i);
  }

  std::vector<FunctionShare> shares;
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    if (tallies[i].total == 0) continue;
    shares.push_back(share(profile, *marks.rules, groups.groups()[i], tallies[i]));
  }
  std::ranges::sort(shares, [](const FunctionShare& left, const FunctionShare& right) {
    return std::tie(right.self, left.name, left.module, left.location, right.total) <
           std::tie(left.self, right.name, right.module, right.location, left.total);
  });
  return shares;
}

}  // namespace perfgap
