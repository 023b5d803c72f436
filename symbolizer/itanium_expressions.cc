#include <algorithm>
#include <array>

#include "symbolizer/demangle.h"
#include "symbolizer/itanium.h"

namespace perfgap {
namespace {

constexpr std::array<ItaniumOperator, 62> kOperators = {{
    {"aN", "&=", 2},       {"aS", "=", 2},         {"aa", "&&", 2},        {"ad", "&", 1},
    {"an", "&", 2},        {"at", "alignof ", 1},  {"aw", "co_await", 1},  {"az", "alignof ", 1},
    {"cl", "()", 0},       {"cm", ",", 2},         {"co", "~", 1},         {"dV", "/=", 2},
    {"da", "delete[]", 1}, {"de", "*", 1},         {"dl", "delete", 1},    {"ds", ".*", 2},
    {"dt", ".", 2},        {"dv", "/", 2},         {"eO", "^=", 2},        {"eo", "^", 2},
    {"eq", "==", 2},       {"ge", ">=", 2},        {"gt", ">", 2},         {"ix", "[]", 2},
    {"lS", "<<=", 2},      {"le", "<=", 2},        {"ls", "<<", 2},        {"lt", "<", 2},
    {"mI", "-=", 2},       {"mL", "*=", 2},        {"mi", "-", 2},         {"ml", "*", 2},
    {"mm", "--", 1},       {"na", "new[]", 0},     {"ne", "!=", 2},        {"ng", "-", 1},
    {"nt", "!", 1},        {"nw", "new", 0},       {"oR", "|=", 2},        {"oo", "||", 2},
    {"or", "|", 2},        {"pL", "+=", 2},        {"pl", "+", 2},         {"pm", "->*", 2},
    {"pp", "++", 1},       {"ps", "+", 1},         {"pt", "->", 2},        {"qu", "?", 3},
    {"rM", "%=", 2},       {"rS", ">>=", 2},       {"rm", "%", 2},         {"rs", ">>", 2},
    {"ss", "<=>", 2},      {"sz", "sizeof ", 1},   {"nx", "noexcept", 1},  {"te", "typeid ", 1},
    {"tw", "throw ", 1},   {"sP", "sizeof...", 0}, {"sZ", "sizeof...", 0}, {"st", "sizeof ", 0},
    {"ti", "typeid ", 0},  {"gs", "::", 1},
}};

// Operators that a function can have; the rest of the table are forms of expressions.
bool names_a_function(std::string_view code) {
  constexpr std::array<std::string_view, 13> kExpressionsOnly = {
      "at", "az", "ds", "dt", "qu", "sz", "nx", "te", "tw", "sP", "sZ", "st", "ti"};
  return code != "gs" && std::ranges::find(kExpressionsOnly, code) == kExpressionsOnly.end();
}

const ItaniumOperator* find_operator(std::string_view code) {
  const auto found = std::ranges::find(kOperators, code, &ItaniumOperator::code);
  return found == kOperators.end() ? nullptr : &*found;
}

// How an integer literal of a type is spelled; nullopt: with a cast.
std::optional<std::string_view> integer_suffix(std::string_view type) {
  if (type == "int") return "";
  if (type == "unsigned int") return "u";
  if (type == "long") return "l";
  if (type == "unsigned long") return "ul";
  if (type == "long long") return "ll";
  if (type == "unsigned long long") return "ull";
  return std::nullopt;
}

}  // namespace

const ItaniumOperator* find_itanium_operator(std::string_view code) {
  return names_a_function(code) ? find_operator(code) : nullptr;
}

std::string ItaniumParser::expressions_until_end() {
  std::string text;
  for (bool first = true; !failed_ && !take_if('E'); first = false) {
    if (done()) return fail();
    if (!first) text += ", ";
    text += expression();
  }
  return spend(std::move(text));
}

std::string ItaniumParser::expression() {
  const Level level(*this);
  if (failed_) return {};
  const char c = peek();
  if (c == 'L') return literal();
  if (c == 'T') return text_of(template_param());
  if (c == 'f' && (peek(1) == 'p' || (peek(1) == 'L' && is_digit(peek(2)))))
    return parameter_reference();
  if (c == 'f') return fold_expression();
  if (is_digit(c) || (c == 'o' && peek(1) == 'n') || (c == 'd' && peek(1) == 'n') ||
      (c == 's' && peek(1) == 'r'))
    return unresolved_name();
  if (c == 'g' && peek(1) == 's') {
    if ((peek(2) == 'n' && (peek(3) == 'w' || peek(3) == 'a')) || peek(2) == 'd') {
      at_ += 2;
      return new_expression(true);
    }
    return unresolved_name();
  }
  return spend(operator_expression());
}

std::string ItaniumParser::operator_expression() {
  if (peek() == 'n' && (peek(1) == 'w' || peek(1) == 'a')) return new_expression(false);
  constexpr std::array<std::string_view, 12> kForms = {"cl", "cp", "cv", "tl", "il", "st",
                                                       "ti", "dc", "sc", "cc", "rc", "tr"};
  for (const std::string_view form : kForms) {
    if (input_.substr(at_).starts_with(form)) return call_like_expression();
  }
  if (take_if("sZ")) {
    const std::string pack = peek() == 'T' ? text_of(template_param()) : parameter_reference();
    return "sizeof...(" + pack + ")";
  }
  if (take_if("sP")) {
    const Args args = [this] {
      Args out;
      while (!failed_ && !take_if('E')) {
        if (done()) fail();
        if (!failed_) out.push_back(template_arg());
      }
      return out;
    }();
    return "sizeof...(" + join(args) + ")";
  }
  if (take_if("sp")) return expression() + "...";
  if (take_if("so")) return fail();  // subobjects: too rare to be worth their grammar
  const ItaniumOperator* found = find_operator(input_.substr(at_, 2));
  if (found == nullptr || found->operands == 0) return fail();
  at_ += 2;
  if (found->code == "pp" || found->code == "mm") take_if('_');  // prefix form
  const std::string text(found->text);
  if (found->code == "at") return text + "(" + type_text() + ")";
  const bool names_symbol = found->code == "ad" && input_.substr(at_).starts_with("L_Z");
  const std::string left = expression();
  if (names_symbol) return "&" + left;
  if (found->operands == 1) return text + "(" + left + ")";
  if (found->code == "dt" || found->code == "pt") return left + text + unresolved_name();
  const std::string right = expression();
  if (found->code == "ix") return "(" + left + ")[" + right + "]";
  if (found->operands == 2) return "(" + left + ")" + text + "(" + right + ")";
  const std::string third = expression();
  return "(" + left + ")?(" + right + ") : (" + third + ")";
}

// Forms that take types, or operands up to an end mark.
std::string ItaniumParser::call_like_expression() {
  const std::string_view form = input_.substr(at_, 2);
  at_ += 2;
  if (form == "cl" || form == "cp") {
    const std::string callee = form == "cl" ? expression() : unresolved_name();
    return callee + "(" + expressions_until_end() + ")";
  }
  if (form == "cv") {
    const std::string target = type_text();
    if (take_if('_')) return "(" + target + ")(" + expressions_until_end() + ")";
    return "(" + target + ")(" + expression() + ")";
  }
  if (form == "tl") {
    const std::string target = type_text();
    return target + "{" + expressions_until_end() + "}";
  }
  if (form == "il") return "{" + expressions_until_end() + "}";
  if (form == "st") return "sizeof (" + type_text() + ")";
  if (form == "ti") return "typeid(" + type_text() + ")";
  if (form == "tr") return "throw";
  constexpr std::array<std::string_view, 4> kCasts = {"dynamic_cast", "static_cast", "const_cast",
                                                      "reinterpret_cast"};
  const std::size_t cast = form == "dc" ? 0 : form == "sc" ? 1 : form == "cc" ? 2 : 3;
  const std::string target = type_text();
  return std::string(kCasts[cast]) + "<" + target + ">(" + expression() + ")";
}

std::string ItaniumParser::new_expression(bool global) {
  const std::string prefix = global ? "::" : "";
  if (take_if("dl")) return prefix + "delete " + expression();
  if (take_if("da")) return prefix + "delete[] " + expression();
  const bool array = peek(1) == 'a';
  at_ += 2;
  std::string placement;
  while (!done() && !take_if('_')) placement += expression();
  const std::string target = type_text();
  std::string text = prefix + (array ? "new[] " : "new ");
  if (!placement.empty()) text += "(" + placement + ") ";
  text += target;
  if (take_if("pi")) return text + "(" + expressions_until_end() + ")";
  if (peek() == 'i' && peek(1) == 'l') return text + expression();
  if (!take_if('E')) return fail();
  return text;
}

std::string ItaniumParser::fold_expression() {
  const char form = peek(1);
  at_ += 2;
  const ItaniumOperator* found = find_operator(input_.substr(std::min(at_, input_.size()), 2));
  if (found == nullptr) return fail();
  at_ += 2;
  const std::string text(found->text);
  const std::string first = expression();
  if (form == 'l') return "(..." + text + first + ")";
  if (form == 'r') return "(" + first + text + "...)";
  if (form != 'L' && form != 'R') return fail();
  return "(" + first + text + "..." + text + expression() + ")";
}

std::string ItaniumParser::parameter_reference() {
  if (take_if("fpT")) return "this";
  if (take_if("fL")) {
    number();
    if (!take_if('p')) return fail();
  } else if (!take_if("fp")) {
    return fail();
  }
  while (!failed_ && (peek() == 'r' || peek() == 'V' || peek() == 'K')) at_++;
  return "{parm#" + std::to_string(index_number() + 1) + "}";
}

std::string ItaniumParser::literal() {
  const Level level(*this);
  if (!take_if('L')) return fail();
  if (take_if("_Z") || (peek() == 'Z' && take_if('Z'))) {
    std::string text = encoding(false);
    return take_if('E') ? text : fail();
  }
  if (peek() == 'b' && peek(2) == 'E' && (peek(1) == '0' || peek(1) == '1')) {
    const bool value = peek(1) == '1';
    at_ += 3;
    return value ? "true" : "false";
  }
  const std::string type = type_text();
  const bool negative = take_if('n');
  const std::size_t end = std::min(input_.find('E', at_), input_.size());
  std::string value = (negative ? "-" : "") + std::string(input_.substr(at_, end - at_));
  at_ = end;
  if (!take_if('E')) return fail();
  if (const auto suffix = integer_suffix(type)) return value.append(*suffix);
  return "(" + type + ")" + value;
}

// Names in expressions of templates, not yet looked up when they were mangled.
std::string ItaniumParser::unresolved_name() {
  const Level level(*this);
  if (failed_) return {};
  std::string text = take_if("gs") ? "::" : "";
  if (!take_if("sr")) return text + base_unresolved_name();
  const auto part = [this] {
    std::string id = source_name();
    return peek() == 'I' ? with_template_args(std::move(id), false) : id;
  };
  if (take_if('N')) {
    text += type_text();
    while (!failed_ && !take_if('E')) text += "::" + part();
  } else if (is_digit(peek())) {
    // One scope as a type, or several closed by an end mark: both begin with a name.
    const std::size_t before = at_;
    text += part();
    if (!is_digit(peek()) || !text.starts_with("::")) {
      at_ = before;
      text = text.starts_with("::") ? "::" + type_text() : type_text();
    } else {
      while (!failed_ && !take_if('E')) text += "::" + part();
    }
  } else {
    text += type_text();
  }
  return spend(text + "::" + base_unresolved_name());
}

std::string ItaniumParser::base_unresolved_name() {
  NameTraits traits;
  std::string text;
  if (take_if("dn")) {
    text = "~" + (is_digit(peek()) ? source_name() : type_text());
  } else if (take_if("on")) {
    text = operator_name(traits);
  } else {
    text = source_name();
  }
  if (peek() == 'I') text = with_template_args(std::move(text), false);
  return text;
}

}  // namespace perfgap
