#include "folded_grammar.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

namespace perfgap {
namespace {

// The JSON library's own strict decoder is the judge.
bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

bool has_control(std::string_view line) {
  static const std::regex c1("\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]");  // and the line separators
  for (const char c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
  }
  return std::regex_search(line.begin(), line.end(), c1);
}

std::string frame_problem(const std::string& frame) {
  static const std::regex count_like(" [0-9]+(\\.[0-9]*)?$");
  static const std::regex padded("^(\xc2\xa0|\xe3\x80\x80| )|(\xc2\xa0|\xe3\x80\x80| )$");
  if (frame.empty()) return "an empty frame";
  if (std::regex_search(frame, padded)) return "a padded frame";
  if (std::regex_search(frame, count_like)) return "a frame that reads as a count";
  return {};
}

std::string stack_problem(std::string_view stack) {
  while (true) {
    const std::size_t end = stack.find(';');
    if (std::string problem = frame_problem(std::string(stack.substr(0, end))); !problem.empty())
      return problem;
    if (end == std::string_view::npos) return {};
    stack.remove_prefix(end + 1);
  }
}

}  // namespace

std::string folded_problem(std::string_view text, std::int64_t total) {
  if (!is_utf8(text)) return "not UTF-8";
  if (!text.empty() && !text.ends_with('\n')) return "the last line does not end";
  static const std::regex weight_pattern("[1-9][0-9]*");
  std::set<std::string> stacks;
  std::string previous;
  std::int64_t sum = 0;
  while (!text.empty()) {
    const std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(line.size() + 1);
    if (has_control(line)) return "a control character: " + line;
    if (line < previous) return "not sorted: " + line;
    const std::size_t blank = line.rfind(' ');
    if (blank == std::string::npos) return "no weight: " + line;
    const std::string weight = line.substr(blank + 1);
    if (!std::regex_match(weight, weight_pattern)) return "a bad weight: " + line;
    if (std::string problem = stack_problem(std::string_view(line).substr(0, blank));
        !problem.empty()) {
      return problem + ": " + line;
    }
    if (!stacks.insert(line.substr(0, blank)).second) return "a stack twice: " + line;
    sum += std::stoll(weight);
    previous = line;
  }
  return sum == total ? std::string() : "weights sum to " + std::to_string(sum);
}

}  // namespace perfgap
