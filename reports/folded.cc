// Folded stacks: a trie of names, weights at its nodes, one line for each node with a weight.
#include "reports/folded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/utf8.h"

namespace perfgap {
namespace {

constexpr std::string_view kNoStack = "[no stack]";
constexpr std::string_view kNoName = "[no name]";
constexpr std::string_view kNoThread = "[no thread]";

// What some reader takes for a blank or for the end of a line: control characters and Unicode's
// white space.
bool is_blank(char32_t value) {
  return value <= 0x20 || (value >= 0x7F && value <= 0xA0) || value == 0x1680 ||
         (value >= 0x2000 && value <= 0x200A) || value == 0x2028 || value == 0x2029 ||
         value == 0x202F || value == 0x205F || value == 0x3000;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Where the blank stands that makes readers take the end of the name for a count: "operator 5",
// "version 1.5".
std::size_t count_like_end(std::string_view name) {
  const std::size_t blank = name.rfind(' ');
  if (blank == std::string_view::npos || blank + 1 == name.size()) return std::string_view::npos;
  const std::string_view last = name.substr(blank + 1);
  const std::size_t whole = std::min(last.find('.'), last.size());
  const std::string_view fraction = last.substr(std::min(whole + 1, last.size()));
  const bool count = whole > 0 && std::ranges::all_of(last.substr(0, whole), is_digit) &&
                     std::ranges::all_of(fraction, is_digit);
  return count ? blank : std::string_view::npos;
}

std::string_view suffix_of(FrameKind kind) {
  switch (kind) {
    case FrameKind::kernel:
      return "_[k]";
    case FrameKind::inlined:
      return "_[i]";
    case FrameKind::jit:
      return "_[j]";
    default:
      return "";
  }
}

// Stacks by the names of their frames. Distinct stacks of the profile may read alike (same
// functions, other addresses); they share a node here. Node 0 is the empty stack.
class NameTrie {
 public:
  NameTrie(const Profile& profile, bool suffixes);

  [[nodiscard]] std::size_t node_of(StackId stack) const { return node_of_[stack.index()]; }
  [[nodiscard]] std::string path(std::size_t node) const;

 private:
  struct Node {
    std::size_t parent;
    std::size_t name;
  };
  std::vector<std::size_t> intern_frames(const Profile& profile, bool suffixes);

  std::vector<std::string> names_;
  std::vector<Node> nodes_{{0, 0}};
  std::vector<std::size_t> node_of_;  // by stack id
};

NameTrie::NameTrie(const Profile& profile, bool suffixes) {
  const std::vector<std::size_t> name_of = intern_frames(profile, suffixes);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> index;
  node_of_.assign(profile.stack_count(), 0);
  for (std::size_t i = 1; i < profile.stack_count(); ++i) {  // parents have smaller ids
    const StackNode& stack = profile.node(StackId(i));
    const std::pair key(node_of_[stack.parent.index()], name_of[stack.frame.index()]);
    const auto [found, added] = index.try_emplace(key, nodes_.size());
    if (added) nodes_.push_back({key.first, key.second});
    node_of_[i] = found->second;
  }
}

std::vector<std::size_t> NameTrie::intern_frames(const Profile& profile, bool suffixes) {
  std::vector<std::size_t> name_of(profile.frame_count());
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < profile.frame_count(); ++i) {
    std::string name = folded_frame_name(display_name(profile, FrameId(i)));
    if (suffixes) name += suffix_of(profile.frame(FrameId(i)).kind);
    const auto [found, added] = index.try_emplace(name, names_.size());
    if (added) names_.push_back(std::move(name));
    name_of[i] = found->second;
  }
  return name_of;
}

std::string NameTrie::path(std::size_t node) const {
  if (node == 0) return std::string(kNoStack);
  std::vector<std::size_t> names;
  for (; node != 0; node = nodes_[node].parent) names.push_back(nodes_[node].name);
  std::string text;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!text.empty()) text += ';';
    text += names_[*name];
  }
  return text;
}

std::string thread_frame(const Profile& profile, ThreadId id) {
  if (id.is_none()) return std::string(kNoThread);
  const Thread& thread = profile.thread(id);
  return folded_frame_name(fmt::format("{} [{}]", profile.text(thread.name), thread.tid));
}

// Values of a hostile file may exceed what a sum can hold; wrapping keeps that defined.
std::int64_t add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

std::string folded_frame_name(std::string_view name) {
  std::string text;
  text.reserve(name.size());
  while (!name.empty()) {
    const Utf8Character next = decode_utf8(name);
    if (!next.valid) {
      text += "\uFFFD";
    } else if (is_blank(next.code)) {
      text += ' ';
    } else if (next.code == ';') {
      text += ':';
    } else {
      text += name.substr(0, next.bytes);
    }
    name.remove_prefix(next.bytes);
  }
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  if (text.empty()) return std::string(kNoName);
  if (const std::size_t blank = count_like_end(text); blank != std::string::npos) text[blank] = '_';
  return text;
}

std::string folded_stacks(const Profile& profile, std::size_t value_index,
                          const FoldedOptions& options) {
  const NameTrie trie(profile, options.suffixes);
  const SampleColumns& samples = profile.samples();
  std::map<std::pair<std::string, std::size_t>, std::int64_t> by_node;  // and thread frame
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::string thread = options.by_thread ? thread_frame(profile, samples.thread[i]) + ";" : "";
    std::int64_t& weight = by_node[{std::move(thread), trie.node_of(samples.stack[i])}];
    weight = add(weight, samples.values[value_index][i]);
  }

  // By text, because a frame may be called just what stands for a missing stack.
  std::unordered_map<std::string, std::int64_t> by_text;
  for (const auto& [key, weight] : by_node) {
    std::int64_t& sum = by_text[key.first + trie.path(key.second)];
    sum = add(sum, weight);
  }
  std::vector<std::string> lines;
  for (const auto& [stack, weight] : by_text) {
    if (weight != 0) lines.push_back(fmt::format("{} {}\n", stack, weight));
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace perfgap
