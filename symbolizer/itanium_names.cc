#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "symbolizer/demangle.h"
#include "symbolizer/itanium.h"

namespace perfgap {
namespace {

constexpr std::size_t kMaxSubstitutions = 1 << 14;
constexpr std::size_t kMaxLengthDigits = 6;

}  // namespace

std::optional<std::string> demangle_cpp(std::string_view symbol) {
  return ItaniumParser(symbol).run();
}

std::optional<std::string> ItaniumParser::run() {
  if (!input_.starts_with("_Z")) return std::nullopt;
  at_ = 2;
  std::string text = encoding(true);
  if (refers_ahead_ && !failed_ && template_args_known_) {
    // A conversion operator names its type before the arguments that the type refers to.
    ItaniumParser second(input_);
    second.later_args_ = std::move(template_args_);
    second.at_ = 2;
    text = second.encoding(true);
    failed_ = second.failed_;
  }
  if (failed_ || text.empty()) return std::nullopt;
  return text;
}

bool ItaniumParser::take_if(std::string_view text) {
  if (failed_ || !input_.substr(at_).starts_with(text)) return false;
  at_ += text.size();
  return true;
}

bool ItaniumParser::take_if(char c) {
  return take_if(std::string_view(&c, 1));
}

std::string ItaniumParser::fail() {
  failed_ = true;
  return {};
}

std::optional<std::size_t> ItaniumParser::number() {
  std::size_t value = 0;
  const std::string_view digits = input_.substr(at_, kMaxLengthDigits);
  const auto parsed = std::from_chars(digits.begin(), digits.end(), value);
  if (parsed.ec != std::errc()) return std::nullopt;
  at_ += static_cast<std::size_t>(parsed.ptr - digits.begin());
  return value;
}

std::optional<std::size_t> ItaniumParser::sequence_id() {
  if (take_if('_')) return 0;
  std::size_t value = 0;
  const std::string_view digits = input_.substr(at_, kMaxLengthDigits);
  const auto parsed = std::from_chars(digits.begin(), digits.end(), value, 36);
  if (parsed.ec != std::errc()) return std::nullopt;
  at_ += static_cast<std::size_t>(parsed.ptr - digits.begin());
  if (!take_if('_')) return std::nullopt;
  return value + 1;
}

std::size_t ItaniumParser::index_number() {
  const auto value = number();
  if (!take_if('_')) failed_ = true;
  return value ? *value + 1 : 0;
}

std::string ItaniumParser::spend(std::string text) {
  if (text.size() > budget_ || substitutions_.size() > kMaxSubstitutions) return fail();
  budget_ -= text.size();
  return text;
}

ItaniumParser::Type ItaniumParser::spend(Type type) {
  std::size_t size = type.left.size() + type.right.size() + 1;
  for (const std::string& element : type.pack) size += element.size() + 1;
  if (size > budget_ || substitutions_.size() > kMaxSubstitutions) {
    fail();
    return {};
  }
  budget_ -= size;
  return type;
}

// The outermost signature is not read at all: what it says is not shown.
std::string ItaniumParser::encoding(bool to_the_end) {
  const Level level(*this);
  if (failed_) return {};
  if (peek() == 'T' || peek() == 'G') return special_name();
  NameTraits traits;
  std::string text = name(traits, true);
  if (to_the_end || failed_) return text;
  if (at_ >= input_.size() || peek() == 'E' || peek() == '.') return text;
  if (traits.ends_in_template_args && !traits.is_special_member) type();
  while (!done() && peek() != 'E' && peek() != '.') {
    if (take_if('Q')) {
      expression();
    } else {
      type();
    }
  }
  return text;
}

bool ItaniumParser::call_offset() {
  const auto offset = [this] {
    take_if('n');
    return number() && take_if('_');
  };
  if (take_if('h')) return offset();
  return take_if('v') && offset() && offset();
}

std::string ItaniumParser::special_name() {
  struct Kind {
    std::string_view code;
    std::string_view text;
  };
  constexpr std::array<Kind, 5> kOfTypes = {
      Kind{"TV", "vtable for "}, Kind{"TT", "VTT for "}, Kind{"TI", "typeinfo for "},
      Kind{"TS", "typeinfo name for "}, Kind{"TA", "template parameter object for "}};
  for (const Kind& kind : kOfTypes) {
    if (take_if(kind.code)) return std::string(kind.text) + spend(text_of(template_arg()));
  }
  constexpr std::array<Kind, 4> kOfNames = {
      Kind{"GV", "guard variable for "}, Kind{"TH", "TLS init function for "},
      Kind{"TW", "TLS wrapper function for "}, Kind{"GR", "reference temporary for "}};
  for (const Kind& kind : kOfNames) {
    NameTraits traits;
    if (take_if(kind.code)) return std::string(kind.text) + name(traits, false);
  }
  if (take_if("GTt")) return "transaction clone for " + encoding(true);
  if (take_if("Tc")) {
    if (!call_offset() || !call_offset()) return fail();
    return "covariant return thunk to " + encoding(true);
  }
  if (take_if("TC")) {
    const std::string derived = type_text();
    number();
    if (!take_if('_')) return fail();
    return "construction vtable for " + type_text() + "-in-" + derived;
  }
  if (!take_if('T')) return fail();
  const bool is_virtual = peek() == 'v';
  if (!call_offset()) return fail();
  return (is_virtual ? "virtual thunk to " : "non-virtual thunk to ") + encoding(true);
}

std::string ItaniumParser::name(NameTraits& traits, bool tag_args) {
  const Level level(*this);
  if (failed_) return {};
  if (peek() == 'N') return nested_name(traits, tag_args);
  if (peek() == 'Z') return local_name(traits, tag_args);
  std::string text;
  bool remembered = false;
  if (peek() == 'S' && peek(1) != 't') {
    text = substitution();
    remembered = true;
  } else {
    const bool in_std = take_if("St");
    text = unqualified_name({}, traits);
    if (in_std) text.insert(0, "std::");
  }
  if (failed_ || peek() != 'I') return spend(std::move(text));
  if (!remembered) substitutions_.push_back(spend(plain(text)));
  traits.ends_in_template_args = true;
  return with_template_args(std::move(text), tag_args);
}

std::string ItaniumParser::nested_name(NameTraits& traits, bool tag_args) {
  take_if('N');
  while (!failed_ && (peek() == 'r' || peek() == 'V' || peek() == 'K')) at_++;
  if (peek() == 'R' || peek() == 'O') at_++;
  take_if('H');  // explicit object parameter
  std::string text;
  while (!failed_ && !take_if('E')) {
    if (done()) return fail();
    bool remember = true;
    take_if('M');  // a member's initializer: names the lambda's scope
    if (peek() == 'I') {
      if (text.empty()) return fail();
      traits.ends_in_template_args = true;
      text = with_template_args(std::move(text), tag_args);
    } else if (peek() == 'S' && peek(1) != 't') {
      if (!text.empty()) return fail();
      text = substitution();
      remember = false;
    } else if (peek() == 'T' && text.empty()) {
      text = text_of(template_param());
    } else if (peek() == 'D' && (peek(1) == 't' || peek(1) == 'T') && text.empty()) {
      bool unused = false;
      text = text_of(extended_type(unused));
    } else if (take_if("St")) {
      text = "std";
      remember = false;
    } else {
      traits.ends_in_template_args = false;
      const std::string part = unqualified_name(text, traits);
      text = text.empty() ? part : text + "::" + part;
    }
    text = spend(std::move(text));
    if (!failed_ && remember && peek() != 'E') substitutions_.push_back(spend(plain(text)));
  }
  return text;
}

std::string ItaniumParser::local_name(NameTraits& traits, bool tag_args) {
  take_if('Z');
  std::string scope = encoding(false);
  if (!take_if('E')) return fail();
  if (take_if('s')) {
    skip_discriminator();
    return spend(scope + "::string literal");
  }
  if (take_if('d')) scope += "::{default arg#" + std::to_string(index_number() + 1) + "}";
  const std::string entity = name(traits, tag_args);
  skip_discriminator();
  return spend(scope + "::" + entity);
}

// "_N" or "__NN_": tells namesakes in one function apart.
bool ItaniumParser::skip_discriminator() {
  if (peek() != '_') return true;
  if (peek(1) == '_') {
    const std::size_t before = std::exchange(at_, at_ + 2);
    if (number() && take_if('_')) return true;
    at_ = before;
  } else if (is_digit(peek(1))) {
    at_ += 2;
  }
  return true;
}

}  // namespace perfgap
