// The parts of a C++ name between two "::".
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "symbolizer/demangle.h"
#include "symbolizer/itanium.h"

namespace perfgap {
namespace {

// The last part of a scope, template arguments and ABI tag removed: what its constructor is called.
std::string_view class_name(std::string_view scope) {
  if (const std::size_t tag = scope.rfind("[abi:");
      tag != std::string_view::npos && scope.ends_with(']'))
    scope = scope.substr(0, tag);
  if (scope.ends_with('>')) {
    int depth = 0;
    for (std::size_t at = scope.size(); at-- > 0;) {
      if (scope[at] == '>') depth++;
      if (scope[at] == '<' && --depth == 0) {
        scope = scope.substr(0, at);
        break;
      }
    }
  }
  // A scope inside braces or brackets ("foo::{lambda(a::b)#1}") is one part.
  int depth = 0;
  for (std::size_t at = scope.size(); at-- > 1;) {
    const char c = scope[at];
    if (c == ')' || c == '}' || c == '>') depth++;
    if (c == '(' || c == '{' || c == '<') depth--;
    if (depth == 0 && c == ':' && scope[at - 1] == ':') return scope.substr(at + 1);
  }
  return scope;
}

struct StandardName {
  char code;
  std::string_view name;
  std::string_view whole;  // as a constructor's scope
};
constexpr std::array<StandardName, 6> kStandardNames = {
    StandardName{'a', "std::allocator", "std::allocator"},
    StandardName{'b', "std::basic_string", "std::basic_string"},
    StandardName{'s', "std::string",
                 "std::basic_string<char, std::char_traits<char>, std::allocator<char> >"},
    StandardName{'i', "std::istream", "std::basic_istream<char, std::char_traits<char> >"},
    StandardName{'o', "std::ostream", "std::basic_ostream<char, std::char_traits<char> >"},
    StandardName{'d', "std::iostream", "std::basic_iostream<char, std::char_traits<char> >"}};

}  // namespace

std::string ItaniumParser::unqualified_name(std::string_view scope, NameTraits& traits) {
  const Level level(*this);
  if (failed_) return {};
  traits.is_special_member = false;
  take_if('F');  // a friend defined in its class
  take_if('L');  // internal linkage
  std::string text;
  if (is_digit(peek())) {
    text = source_name();
  } else if (peek() == 'U' && peek(1) == 'l') {
    text = lambda();
  } else if (peek() == 'U' && peek(1) == 't') {
    text = unnamed_type();
  } else if (peek() == 'C' || (peek() == 'D' && is_digit(peek(1)))) {
    traits.is_special_member = true;
    text = structor_name(scope);
  } else if (take_if("DC")) {
    text = "[";
    for (bool first = true; !done() && !take_if('E'); first = false)
      text += (first ? "" : ", ") + source_name();
    text += "]";
  } else {
    text = operator_name(traits);
  }
  return abi_tags(std::move(text));
}

std::string ItaniumParser::source_name() {
  const auto size = number();
  if (!size || *size == 0 || *size > input_.size() - at_) return fail();
  const std::string_view text = input_.substr(at_, *size);
  at_ += *size;
  // What compilers call an unnamed namespace, with a separator that differs by assembler.
  if (text.starts_with("_GLOBAL_") && text.size() > 9 && text[9] == 'N')
    return "(anonymous namespace)";
  return std::string(text);
}

std::string ItaniumParser::structor_name(std::string_view scope) {
  const std::string_view own = class_name(scope);
  if (own.empty()) return fail();
  const bool destructor = peek() == 'D';
  at_++;
  const bool inheriting = take_if('I');
  if (!is_digit(peek())) return fail();
  at_++;
  if (inheriting) type();
  return (destructor ? "~" : "") + std::string(own);
}

std::string ItaniumParser::unnamed_type() {
  take_if("Ut");
  std::string text = "{unnamed type#" + std::to_string(index_number() + 1) + "}";
  return failed_ ? fail() : text;
}

std::string ItaniumParser::lambda() {
  take_if("Ul");
  lambda_depth_++;
  // Explicit template parameters are not shown.
  while (!failed_ && peek() == 'T' && (peek(1) == 'y' || peek(1) == 'n' || peek(1) == 'p')) {
    const bool has_type = peek(1) == 'n' || (peek(1) == 'p' && peek(3) == 'n');
    at_ += peek(1) == 'p' ? 4 : 2;
    if (at_ > input_.size()) return fail();
    if (has_type) type();
  }
  const std::string parameters = parameter_list();
  lambda_depth_--;
  if (!take_if('E')) return fail();
  return "{lambda(" + parameters + ")#" + std::to_string(index_number() + 1) + "}";
}

std::string ItaniumParser::abi_tags(std::string text) {
  while (take_if('B')) text += "[abi:" + source_name() + "]";
  return text;
}

std::string ItaniumParser::operator_name(NameTraits& traits) {
  if (take_if("cv")) {
    traits.is_special_member = true;
    const bool outer = std::exchange(in_conversion_, true);
    std::string text = "operator " + type_text();
    in_conversion_ = outer;
    return text;
  }
  if (take_if("li")) return "operator\"\" " + source_name();
  if (peek() == 'v' && is_digit(peek(1))) {
    at_ += 2;
    return "operator " + source_name();
  }
  const ItaniumOperator* found = find_itanium_operator(input_.substr(at_, 2));
  if (found == nullptr) return fail();
  at_ += 2;
  const bool word = found->text[0] >= 'a' && found->text[0] <= 'z';
  return (word ? "operator " : "operator") + std::string(found->text);
}

std::string ItaniumParser::substitution() {
  if (!take_if('S')) return fail();
  for (const StandardName& standard : kStandardNames) {
    if (!take_if(standard.code)) continue;
    const bool as_scope = peek() == 'C' || (peek() == 'D' && is_digit(peek(1)));
    std::string text = abi_tags(std::string(as_scope ? standard.whole : standard.name));
    if (text != standard.name && text != standard.whole) substitutions_.push_back(plain(text));
    return text;
  }
  const auto index = sequence_id();
  if (!index || *index >= substitutions_.size()) return fail();
  return spend(text_of(substitutions_[*index]));
}

std::string ItaniumParser::with_template_args(std::string text, bool tag_args) {
  Args args = template_args();
  if (text.ends_with('<')) text += ' ';  // operator<
  text += '<' + join(args);
  if (text.ends_with('>')) text += ' ';
  text += '>';
  if (tag_args) {
    template_args_ = std::move(args);
    template_args_known_ = true;
  }
  return spend(std::move(text));
}

}  // namespace perfgap
