#include <array>
#include <utility>

#include "symbolizer/demangle.h"
#include "symbolizer/itanium.h"

namespace perfgap {
namespace {

// By letter, 'a' first.
constexpr std::array<std::string_view, 26> kBuiltinTypes = {"signed char",
                                                            "bool",
                                                            "char",
                                                            "double",
                                                            "long double",
                                                            "float",
                                                            "__float128",
                                                            "unsigned char",
                                                            "int",
                                                            "unsigned int",
                                                            "",
                                                            "long",
                                                            "unsigned long",
                                                            "__int128",
                                                            "unsigned __int128",
                                                            "",
                                                            "",
                                                            "",
                                                            "short",
                                                            "unsigned short",
                                                            "",
                                                            "void",
                                                            "wchar_t",
                                                            "long long",
                                                            "unsigned long long",
                                                            "..."};
// The same after a D.
constexpr std::array<std::string_view, 26> kExtendedBuiltins = {"auto",
                                                                "",
                                                                "decltype(auto)",
                                                                "decimal64",
                                                                "decimal128",
                                                                "decimal32",
                                                                "",
                                                                "half",
                                                                "char32_t",
                                                                "",
                                                                "",
                                                                "",
                                                                "",
                                                                "decltype(nullptr)",
                                                                "",
                                                                "",
                                                                "",
                                                                "",
                                                                "char16_t",
                                                                "",
                                                                "char8_t",
                                                                "",
                                                                "",
                                                                "",
                                                                "",
                                                                ""};

std::string_view by_letter(const std::array<std::string_view, 26>& names, char letter) {
  return letter >= 'a' && letter <= 'z' ? names[static_cast<std::size_t>(letter - 'a')] : "";
}

}  // namespace

std::string ItaniumParser::text_of(const Type& type) {
  if (type.form == TypeForm::pack) {
    std::string text;
    for (const std::string& element : type.pack) {
      if (element.empty()) continue;
      if (!text.empty()) text += ", ";
      text += element;
    }
    return text;
  }
  if (type.form == TypeForm::function || type.form == TypeForm::array)
    return type.left + " " + type.right;
  return type.left + type.right;
}

// Appends to the declarator's place; of a pack, to each element.
ItaniumParser::Type ItaniumParser::map_type(const Type& type, std::string_view suffix) {
  Type out = type;
  if (type.form == TypeForm::pack) {
    for (std::string& element : out.pack) element += suffix;
  } else {
    out.left += suffix;
    out.form = TypeForm::plain;
  }
  return out;
}

ItaniumParser::Type ItaniumParser::type() {
  const Level level(*this);
  if (failed_) return {};
  bool remember = true;
  Type out = spend(unremembered_type(remember));
  if (failed_) return {};
  if (remember) substitutions_.push_back(spend(out));
  return out;
}

ItaniumParser::Type ItaniumParser::unremembered_type(bool& remember) {
  switch (peek()) {
    case 'r':
    case 'V':
    case 'K':
      return qualified_type();
    case 'P':
      at_++;
      return pointer_to(type(), "*", TypeForm::plain);
    case 'R':
      at_++;
      return pointer_to(type(), "&", TypeForm::lvalue_reference);
    case 'O':
      at_++;
      return pointer_to(type(), "&&", TypeForm::rvalue_reference);
    case 'C':
      at_++;
      return map_type(type(), " _Complex");
    case 'G':
      at_++;
      return map_type(type(), " _Imaginary");
    case 'F':
      return function_type();
    case 'A':
      return array_type();
    case 'M':
      return member_pointer_type();
    case 'T':
      return parameter_type();
    case 'S':
      return substituted_type(remember);
    case 'D':
      return extended_type(remember);
    case 'U':
      if (peek(1) != 'l' && peek(1) != 't') {
        at_++;
        std::string qualifier = " " + source_name();
        if (peek() == 'I') qualifier = with_template_args(std::move(qualifier), false);
        return map_type(type(), qualifier);
      }
      return named_type(remember);
    case 'N':
    case 'Z':
      return named_type(remember);
    default:
      return is_digit(peek()) ? named_type(remember) : builtin_type(remember);
  }
}

ItaniumParser::Type ItaniumParser::builtin_type(bool& remember) {
  if (take_if('u')) {
    std::string text = source_name();
    if (peek() == 'I') text = with_template_args(std::move(text), false);
    return plain(std::move(text));
  }
  const std::string_view text = by_letter(kBuiltinTypes, peek());
  if (text.empty()) {
    fail();
    return {};
  }
  at_++;
  remember = false;
  return plain(std::string(text));
}

ItaniumParser::Type ItaniumParser::qualified_type() {
  std::string qualifiers;
  const bool restricted = take_if('r');
  const bool is_volatile = take_if('V');
  const bool is_const = take_if('K');
  if (is_const) qualifiers += " const";
  if (is_volatile) qualifiers += " volatile";
  if (restricted) qualifiers += " __restrict";
  if (peek() == 'F' || (peek() == 'D' && (peek(1) == 'o' || peek(1) == 'O' || peek(1) == 'x'))) {
    Type function = function_type();
    function.right += qualifiers;
    return function;
  }
  Type inner = type();
  if (inner.form == TypeForm::array) {  // the elements are qualified
    inner.left += qualifiers;
    return inner;
  }
  return map_type(inner, qualifiers);
}

ItaniumParser::Type ItaniumParser::pointer_to(Type target, std::string_view sign, TypeForm form) {
  if (target.form == TypeForm::function || target.form == TypeForm::array) {
    target.left += std::string(" (").append(sign);
    target.right = (target.form == TypeForm::array ? ") " : ")") + target.right;
    target.form = form;
    return target;
  }
  if (form == TypeForm::rvalue_reference &&
      (target.form == TypeForm::lvalue_reference || target.form == TypeForm::rvalue_reference))
    return target;
  if (form == TypeForm::lvalue_reference && target.form == TypeForm::lvalue_reference)
    return target;
  if (form == TypeForm::lvalue_reference && target.form == TypeForm::rvalue_reference) {
    target.left.pop_back();
    target.form = form;
    return target;
  }
  Type out = map_type(target, sign);
  if (out.form != TypeForm::pack) out.form = form;
  return out;
}

ItaniumParser::Type ItaniumParser::function_type() {
  std::string prefix_qualifier;
  if (take_if("Do")) {
    prefix_qualifier = " noexcept";
  } else if (take_if("DO")) {
    prefix_qualifier = " noexcept(" + expression() + ")";
    if (!take_if('E')) fail();
  }
  take_if("Dx");
  if (!take_if('F')) fail();
  take_if('Y');  // extern "C"
  if (failed_) return {};
  Type result = type();
  Type out{.left = text_of(result), .right = {}, .form = TypeForm::function, .pack = {}};
  out.right = "(" + parameter_list() + ")";
  if (take_if("RE")) {
    out.right += " &";
  } else if (take_if("OE")) {
    out.right += " &&";
  } else if (!take_if('E')) {
    fail();
  }
  out.right += prefix_qualifier;
  if (!result.right.empty() && result.form != TypeForm::array) {
    // The result's own declarator encloses this one.
    out.left = result.left;
    out.right += result.right;
    out.form = TypeForm::plain;
  }
  return out;
}

std::string ItaniumParser::parameter_list() {
  Args parameters;
  while (!done() && peek() != 'E' && peek() != '.') {
    if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') break;
    parameters.push_back(type());
  }
  const std::string text = join(parameters);
  return text == "void" ? "" : text;
}

ItaniumParser::Type ItaniumParser::array_type() {
  take_if('A');
  std::string bound;
  if (is_digit(peek())) {
    while (!done() && is_digit(peek())) bound += input_[at_++];
  } else if (peek() != '_') {
    bound = expression();
  }
  if (!take_if('_')) fail();
  Type element = type();
  if (failed_) return {};
  const bool nested = element.form == TypeForm::array;
  Type out = element;
  out.form = TypeForm::array;
  out.right = "[" + bound + "]" + element.right;
  if (!nested && !element.right.empty()) out = plain(text_of(element) + " [" + bound + "]");
  return out;
}

ItaniumParser::Type ItaniumParser::member_pointer_type() {
  take_if('M');
  const std::string owner = type_text();
  Type member = type();
  if (failed_) return {};
  if (member.form == TypeForm::function || member.form == TypeForm::array) {
    member.left += " (" + owner + "::*";
    member.right = ")" + member.right;
    member.form = TypeForm::plain;
    return member;
  }
  return map_type(member, " " + owner + "::*");
}

ItaniumParser::Type ItaniumParser::named_type(bool& remember) {
  NameTraits traits;
  std::string text = name(traits, false);
  remember = true;
  return plain(std::move(text));
}

ItaniumParser::Type ItaniumParser::substituted_type(bool& remember) {
  if (peek(1) == 't') return named_type(remember);
  Type out;
  const char code = peek(1);
  if (is_digit(code) || code == '_' || (code >= 'A' && code <= 'Z')) {
    at_++;
    const auto index = sequence_id();
    if (!index || *index >= substitutions_.size()) {
      fail();
      return {};
    }
    out = substitutions_[*index];
  } else {
    out = plain(substitution());
  }
  remember = false;
  if (peek() == 'I') {
    out = plain(with_template_args(text_of(out), false));
    remember = true;
  }
  return out;
}

ItaniumParser::Type ItaniumParser::extended_type(bool& remember) {
  if (peek(1) == 'o' || peek(1) == 'O' || peek(1) == 'x') return function_type();
  if (take_if("Dp")) {
    Type pattern = type();
    if (pattern.form != TypeForm::pack && lambda_depth_ > 0)
      return plain("(" + text_of(pattern) + ")...");
    return pattern;
  }
  if (take_if("Dt") || take_if("DT")) {
    const std::string text = expression();
    if (!take_if('E')) fail();
    return plain("decltype (" + text + ")");
  }
  if (take_if("Dv")) {
    const std::string size = is_digit(peek()) ? std::to_string(number().value_or(0)) : expression();
    if (!take_if('_')) fail();
    return map_type(type(), " __vector(" + size + ")");
  }
  if (take_if("DF")) {
    const std::string bits = std::to_string(number().value_or(0));
    remember = false;
    if (take_if('b')) return plain("std::bfloat16_t");
    const bool extended = take_if('x');
    if (!extended && !take_if('_')) fail();
    return plain("_Float" + bits + (extended ? "x" : ""));
  }
  if (peek(1) == 'B' || peek(1) == 'U') {
    const bool is_unsigned = peek(1) == 'U';
    at_ += 2;
    const std::string bits = is_digit(peek()) ? std::to_string(number().value_or(0)) : expression();
    if (!take_if('_')) fail();
    remember = false;
    return plain((is_unsigned ? "unsigned _BitInt(" : "_BitInt(") + bits + ")");
  }
  const std::string_view text = by_letter(kExtendedBuiltins, peek(1));
  if (text.empty()) {
    fail();
    return {};
  }
  at_ += 2;
  remember = false;
  return plain(std::string(text));
}

}  // namespace perfgap
