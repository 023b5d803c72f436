// FunctionGroups, and the walk over the stack trie that counts recursion once.
#include "analyzers/function_groups.h"

#include <map>

namespace perfgap {

FunctionGroups::FunctionGroups(const Profile& profile) : group_of_(profile.frame_count()) {
  std::map<FunctionGroup, std::size_t> index;
  for (std::size_t i = 0; i < profile.frame_count(); ++i) {
    const Frame& frame = profile.frame(FrameId(i));
    const Function& function = profile.function(frame.function);
    FunctionGroup group{.name = function.name, .module = profile.mapping(frame.mapping).file};
    if (!group.name.is_none()) {
      group.source = function.file;
      group.line = function.start_line;
    }
    const auto [found, is_new] = index.try_emplace(group, groups_.size());
    if (is_new) groups_.push_back(group);
    group_of_[i] = found->second;
  }
}

std::vector<std::int64_t> weight_below(const Profile& profile,
                                       const std::function<std::int64_t(std::size_t)>& weight) {
  std::vector<std::int64_t> below(profile.stack_count());
  const std::vector<StackId>& stacks = profile.samples().stack;
  for (std::size_t i = 0; i < stacks.size(); ++i) below[stacks[i].index()] += weight(i);
  for (std::size_t i = below.size(); i-- > 1;) {
    below[profile.node(StackId(i)).parent.index()] += below[i];
  }
  return below;
}

void for_each_outermost(const Profile& profile, const FunctionGroups& groups,
                        const std::function<void(StackId, std::size_t group)>& visit) {
  const std::size_t count = profile.stack_count();
  // Children of a node as a linked list, so that deep stacks need no recursion.
  std::vector<std::uint32_t> first_child(count);
  std::vector<std::uint32_t> next_sibling(count);
  for (std::size_t i = count; i-- > 1;) {
    std::uint32_t& head = first_child[profile.node(StackId(i)).parent.index()];
    next_sibling[i] = head;
    head = static_cast<std::uint32_t>(i);
  }
  std::vector<std::uint32_t> on_path(groups.groups().size());
  std::uint32_t node = first_child[0];
  while (node != 0) {
    const std::size_t group = groups.of(profile.node(StackId(node)).frame);
    if (on_path[group]++ == 0) visit(StackId(node), group);
    if (first_child[node] != 0) {
      node = first_child[node];
      continue;
    }
    // Leave the node, and every ancestor that has no further child.
    for (;;) {
      --on_path[groups.of(profile.node(StackId(node)).frame)];
      if (next_sibling[node] != 0) {
        node = next_sibling[node];
        break;
      }
      node = profile.node(StackId(node)).parent.index();
      if (node == 0) break;
    }
  }
}

}  // namespace perfgap
