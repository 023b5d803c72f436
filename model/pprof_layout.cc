// Order of a profile's file: see pprof_layout.h.
#include "model/pprof_layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace perfgap {
namespace {

// A chain holds frames of one place: what is inlined must share the address, mapping and tier of
// what it lies in. All need names, as pprof knows no line without a function.
bool same_place(const Frame& inlined, const Frame& outer) {
  return inlined.mapping == outer.mapping && inlined.address == outer.address &&
         inlined.tier == outer.tier && !inlined.function.is_none() && !outer.function.is_none();
}

class LocationCollector {
 public:
  LocationCollector(const Profile& profile, PprofLayout& layout)
      : profile_(profile), layout_(layout), by_frame_(profile.frame_count()) {}

  void collect() {
    for (const StackId stack : profile_.samples().stack) {
      const auto [entry, added] = layout_.stacks.try_emplace(stack);
      if (added) split(stack, entry->second);
    }
    number();
  }

 private:
  void split(StackId stack, std::vector<std::uint64_t>& locations) {
    FrameChain chain;
    // pprof drops samples without a location, so the empty stack gets one that says nothing. It
    // is read as frame "none" on stack "none", which is the empty stack.
    if (stack.is_none()) locations.push_back(position_of({FrameId()}));
    for (StackId at = stack; !at.is_none(); at = profile_.node(at).parent) {
      chain.push_back(profile_.node(at).frame);
      if (goes_on(at)) continue;
      locations.push_back(position_of(chain));
      chain.clear();
    }
  }

  bool goes_on(StackId at) const {
    const StackId parent = profile_.node(at).parent;
    if (parent.is_none()) return false;
    const Frame& frame = profile_.frame(profile_.node(at).frame);
    return frame.kind == FrameKind::inlined &&
           same_place(frame, profile_.frame(profile_.node(parent).frame));
  }

  std::size_t position_of(const FrameChain& chain) {
    std::size_t& place = chain.size() == 1 ? by_frame_[chain.front().index()] : by_chain_[chain];
    if (place == 0) {
      layout_.locations.push_back(chain);
      place = layout_.locations.size();
    }
    return place - 1;
  }

  // By physical frame, then by first use: both orders come back when the file is read.
  void number() {
    std::vector<FrameChain>& chains = layout_.locations;
    std::vector<std::size_t> order(chains.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {},
                      [&](std::size_t place) { return std::pair(chains[place].back(), place); });
    std::vector<FrameChain> sorted;
    std::vector<std::uint64_t> ids(chains.size());
    for (const std::size_t place : order) {
      sorted.push_back(std::move(chains[place]));
      ids[place] = sorted.size();
    }
    chains = std::move(sorted);
    for (auto& [stack, locations] : layout_.stacks) {
      for (std::uint64_t& location : locations) location = ids[location];
    }
  }

  const Profile& profile_;
  PprofLayout& layout_;
  std::vector<std::size_t> by_frame_;  // 1 + position, of chains of one frame
  std::map<FrameChain, std::size_t> by_chain_;
};

void collect_functions(const Profile& profile, PprofLayout& layout) {
  std::vector<bool> used(profile.function_count());
  for (const FrameChain& chain : layout.locations) {
    for (const FrameId id : chain) {
      const Frame& frame = profile.frame(id);
      if (has_line(frame)) used[frame.function.index()] = true;
    }
  }
  layout.function_ids.assign(used.size(), 0);
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    layout.functions.emplace_back(i);
    layout.function_ids[i] = layout.functions.size();
  }
}

void collect_flags(const Profile& profile, PprofLayout& layout) {
  layout.mapping_flags.assign(profile.mapping_count(), {});
  for (const FrameChain& chain : layout.locations) {
    for (const FrameId id : chain) {
      const Frame& frame = profile.frame(id);
      MappingFlags& flags = layout.mapping_flags[frame.mapping.index()];
      flags.used = true;
      flags.functions |= !frame.function.is_none();
      flags.filenames |= !profile.function(frame.function).file.is_none();
      flags.line_numbers |= frame.line != 0;
      flags.inline_frames |= chain.size() > 1;
    }
  }
}

// pprof takes the first mapping for the main program.
void collect_mappings(const Profile& profile, PprofLayout& layout) {
  collect_flags(profile, layout);
  for (std::size_t i = 1; i < layout.mapping_flags.size(); ++i) {
    if (layout.mapping_flags[i].used) layout.mappings.emplace_back(i);
  }
  const std::vector<ProcessRun>& processes = profile.run.processes;
  if (!processes.empty() && !processes.front().executables.empty()) {
    const std::string& program = processes.front().executables.front();
    const auto main = std::ranges::find_if(layout.mappings, [&](MappingId id) {
      return profile.text(profile.mapping(id).file) == program;
    });
    if (main == layout.mappings.end()) {
      layout.added_main = program;
    } else {
      std::rotate(layout.mappings.begin(), main, main + 1);
    }
  }
  layout.mapping_ids.assign(profile.mapping_count(), 0);
  std::uint64_t id = layout.added_main.empty() ? 0 : 1;
  for (const MappingId mapping : layout.mappings) layout.mapping_ids[mapping.index()] = ++id;
}

}  // namespace

bool has_line(const Frame& frame) {
  return !frame.function.is_none() || frame.line != 0;
}

PprofLayout lay_out(const Profile& profile) {
  PprofLayout layout;
  LocationCollector(profile, layout).collect();
  collect_functions(profile, layout);
  collect_mappings(profile, layout);
  return layout;
}

}  // namespace perfgap
