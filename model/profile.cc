// The tables and columns of a profile: interning, merging, totals.
#include "model/profile.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/hash.h"

namespace perfgap {
namespace {

template <typename Enum, std::size_t n>
std::optional<Enum> enum_from(const std::array<std::string_view, n>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

constexpr std::array<std::string_view, kFrameKinds> kKindNames = {
    "unknown", "native", "kernel", "jit", "interpreted", "inlined", "builtin"};
constexpr std::array<std::string_view, kTiers> kTierNames = {"none", "interpreted", "baseline",
                                                             "midtier", "optimised"};
constexpr std::array<std::string_view, kOutcomes> kOutcomeNames = {
    "complete",   "no_user_stack", "no_root", "bad_frame_pointer",
    "read_fault", "too_deep",      "unknown"};

std::size_t hash_of(const Mapping& mapping) {
  return hash_values(mapping.start, mapping.limit, mapping.file_offset, mapping.file.index(),
                     mapping.build_id.index());
}

std::size_t hash_of(const Function& function) {
  return hash_values(function.name.index(), function.system_name.index(), function.file.index(),
                     function.start_line);
}

std::size_t hash_of(const Frame& frame) {
  return hash_values(frame.function.index(), frame.mapping.index(), frame.address, frame.line,
                     static_cast<std::uint64_t>(frame.kind),
                     static_cast<std::uint64_t>(frame.tier));
}

std::size_t hash_of(const Thread& thread) {
  return hash_values(thread.pid, thread.tid, thread.comm.index(), thread.name.index());
}

std::size_t hash_of(const std::vector<Label>& labels) {
  std::uint64_t hash = labels.size();
  for (const Label& label : labels) {
    hash = hash_values(hash, label.key.index(), label.text.index(),
                       static_cast<std::uint64_t>(label.number), label.unit.index());
  }
  return hash;
}

std::size_t hash_of(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

template <typename Entry, typename IdType, typename Key>
IdType intern_entry(std::vector<Entry>& table, std::unordered_multimap<std::size_t, IdType>& index,
                    const Key& key) {
  const std::size_t hash = hash_of(key);
  const auto [begin, end] = index.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (table[it->second.index()] == key) return it->second;
  }
  const IdType id(table.size());
  table.emplace_back(key);
  index.emplace(hash, id);
  return id;
}

template <typename Entry, typename IdType>
const Entry& at(const std::vector<Entry>& table, IdType id) {
  assert(id.index() < table.size());
  return table[id.index()];
}

// Position of each entry among all when sorted by what `key` makes of it.
template <typename Entry, typename KeyOf>
std::vector<std::uint32_t> ranks(const std::vector<Entry>& table, KeyOf key) {
  std::vector<std::uint32_t> order(table.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t index) { return key(table[index]); });
  std::vector<std::uint32_t> rank(table.size());
  for (std::uint32_t position = 0; position < order.size(); ++position) {
    rank[order[position]] = position;
  }
  return rank;
}

}  // namespace

std::string_view to_string(FrameKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind));
}
std::optional<FrameKind> frame_kind_from(std::string_view name) {
  return enum_from<FrameKind>(kKindNames, name);
}

std::string_view to_string(Tier tier) {
  return kTierNames.at(static_cast<std::size_t>(tier));
}
std::optional<Tier> tier_from(std::string_view name) {
  return enum_from<Tier>(kTierNames, name);
}

std::string_view to_string(Outcome outcome) {
  return kOutcomeNames.at(static_cast<std::size_t>(outcome));
}
std::optional<Outcome> outcome_from(std::string_view name) {
  return enum_from<Outcome>(kOutcomeNames, name);
}

Profile::Profile() {
  intern(std::string_view());
  intern(Mapping{});
  intern(Function{});
  intern(Frame{});
  nodes_.emplace_back();
  intern(Thread{});
  intern(std::vector<Label>{});
}

StringId Profile::intern(std::string_view text) {
  return intern_entry(strings_, string_index_, text);
}
MappingId Profile::intern(const Mapping& mapping) {
  return intern_entry(mappings_, mapping_index_, mapping);
}
FunctionId Profile::intern(const Function& function) {
  return intern_entry(functions_, function_index_, function);
}
FrameId Profile::intern(const Frame& frame) {
  return intern_entry(frames_, frame_index_, frame);
}
ThreadId Profile::intern(const Thread& thread) {
  return intern_entry(threads_, thread_index_, thread);
}
LabelSetId Profile::intern(const std::vector<Label>& labels) {
  return intern_entry(label_sets_, label_index_, labels);
}

// The slot that holds the node, or the free one where it belongs.
std::uint32_t& Profile::node_slot(const StackNode& node) {
  const std::size_t mask = node_slots_.size() - 1;
  std::size_t at = hash_values(node.parent.index(), node.frame.index()) & mask;
  while (node_slots_[at] != 0 && nodes_[node_slots_[at]] != node) at = (at + 1) & mask;
  return node_slots_[at];
}

void Profile::grow_node_slots() {
  constexpr std::size_t kFirstSlots = 64;  // a power of two, as all sizes are
  node_slots_.assign(std::max(kFirstSlots, 2 * node_slots_.size()), 0);
  for (std::uint32_t id = 1; id < nodes_.size(); ++id) node_slot(nodes_[id]) = id;
}

StackId Profile::intern(const StackNode& node) {
  if (node == StackNode{}) return {};
  assert(node.parent.index() < nodes_.size());
  if (2 * nodes_.size() >= node_slots_.size()) grow_node_slots();
  std::uint32_t& slot = node_slot(node);
  if (slot == 0) {
    slot = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(node);
  }
  return StackId(slot);
}

void Profile::set_value_types(const std::vector<ValueType>& types) {
  assert(samples_.size() == 0);
  value_types_ = types;
  samples_.values.assign(types.size(), {});
}

void Profile::add(const Sample& sample) {
  assert(sample.values.size() == value_types_.size());
  assert(sample.stack.index() < nodes_.size() && sample.thread.index() < threads_.size());
  assert(sample.labels.index() < label_sets_.size());
  samples_.stack.push_back(sample.stack);
  samples_.thread.push_back(sample.thread);
  samples_.time_ms.push_back(sample.time_ms);
  samples_.outcome.push_back(sample.outcome);
  samples_.labels.push_back(sample.labels);
  for (std::size_t column = 0; column < value_types_.size(); ++column) {
    samples_.values[column].push_back(sample.values[column]);
  }
}

void Profile::merge_samples() {
  // Threads and labels are ordered by what they say: their ids depend on who was seen first.
  const auto thread_rank = ranks(threads_, [&](const Thread& thread) {
    return std::tuple(thread.pid, thread.tid, text(thread.comm), text(thread.name));
  });
  const auto label_rank = ranks(label_sets_, [&](const std::vector<Label>& labels) {
    std::vector<std::tuple<std::string_view, std::string_view, std::int64_t, std::string_view>> key;
    key.reserve(labels.size());
    for (const Label& label : labels) {
      key.emplace_back(text(label.key), text(label.text), label.number, text(label.unit));
    }
    return key;
  });
  const SampleColumns old = std::exchange(samples_, {});
  const auto key = [&](std::size_t i) {
    return std::tuple(old.stack[i], thread_rank[old.thread[i].index()], old.time_ms[i],
                      old.outcome[i], label_rank[old.labels[i].index()]);
  };
  std::vector<std::size_t> order(old.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, key);

  samples_.values.assign(value_types_.size(), {});
  for (std::size_t n = 0; n < order.size(); ++n) {
    const std::size_t i = order[n];
    const bool joins = n > 0 && key(order[n - 1]) == key(i);
    if (!joins) {
      samples_.stack.push_back(old.stack[i]);
      samples_.thread.push_back(old.thread[i]);
      samples_.time_ms.push_back(old.time_ms[i]);
      samples_.outcome.push_back(old.outcome[i]);
      samples_.labels.push_back(old.labels[i]);
    }
    for (std::size_t column = 0; column < value_types_.size(); ++column) {
      std::vector<std::int64_t>& values = samples_.values[column];
      if (joins) {
        values.back() += old.values[column][i];
      } else {
        values.push_back(old.values[column][i]);
      }
    }
  }
}

std::string_view Profile::text(StringId id) const {
  return at(strings_, id);
}
const Mapping& Profile::mapping(MappingId id) const {
  return at(mappings_, id);
}
const Function& Profile::function(FunctionId id) const {
  return at(functions_, id);
}
const Frame& Profile::frame(FrameId id) const {
  return at(frames_, id);
}
const StackNode& Profile::node(StackId id) const {
  return at(nodes_, id);
}
const Thread& Profile::thread(ThreadId id) const {
  return at(threads_, id);
}
const std::vector<Label>& Profile::label_set(LabelSetId id) const {
  return at(label_sets_, id);
}

std::size_t Profile::string_count() const {
  return strings_.size();
}
std::size_t Profile::mapping_count() const {
  return mappings_.size();
}
std::size_t Profile::function_count() const {
  return functions_.size();
}
std::size_t Profile::frame_count() const {
  return frames_.size();
}
std::size_t Profile::stack_count() const {
  return nodes_.size();
}
std::size_t Profile::thread_count() const {
  return threads_.size();
}

const std::vector<ValueType>& Profile::value_types() const {
  return value_types_;
}

std::optional<std::size_t> Profile::value_index(std::string_view type) const {
  for (std::size_t index = 0; index < value_types_.size(); ++index) {
    if (text(value_types_[index].type) == type) return index;
  }
  return std::nullopt;
}

std::size_t Profile::default_value_index() const {
  if (const auto cpu = value_index("cpu")) return *cpu;
  if (!default_type.is_none()) {
    if (const auto chosen = value_index(text(default_type))) return *chosen;
  }
  return value_types_.empty() ? 0 : value_types_.size() - 1;
}

const SampleColumns& Profile::samples() const {
  return samples_;
}

std::int64_t Profile::total(std::size_t value_index) const {
  assert(value_index < samples_.values.size());
  const std::vector<std::int64_t>& values = samples_.values[value_index];
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::string display_name(const Profile& profile, FrameId id) {
  const Frame& frame = profile.frame(id);
  const std::string_view name = profile.text(profile.function(frame.function).name);
  if (!name.empty()) return std::string(name);
  const std::string_view path = profile.text(profile.mapping(frame.mapping).file);
  // npos + 1 is 0: a path without a slash is its own last component.
  const std::string_view module = path.substr(path.rfind('/') + 1);
  std::array<char, 2 * sizeof(frame.address)> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), frame.address, 16).ptr;
  std::string result(module.empty() ? "[unknown]" : module);
  return result.append("+0x").append(digits.data(), end);
}

}  // namespace perfgap
