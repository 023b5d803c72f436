#include "symbolizer/rust_v0.h"

#include <charconv>
#include <utility>

#include "symbolizer/demangle.h"

namespace perfgap {
namespace {

constexpr std::size_t kMaxRustLengthDigits = 6;

}  // namespace

std::uint64_t RustV0Parser::base_62() {
  if (take_if('_')) return 0;
  std::uint64_t value = 0;
  while (!failed_ && !take_if('_')) {
    const char c = take();
    std::uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'z') {
      digit = static_cast<std::uint64_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'Z') {
      digit = static_cast<std::uint64_t>(c - 'A' + 36);
    } else {
      failed_ = true;
    }
    if (value > (UINT64_MAX - digit) / 62) failed_ = true;
    value = value * 62 + digit;
  }
  return value + 1;
}

std::uint64_t RustV0Parser::optional_base_62(char tag) {
  return take_if(tag) ? base_62() + 1 : 0;
}

std::string RustV0Parser::plain_identifier() {
  const bool punycode = take_if('u');
  std::size_t size = 0;
  // A length of zero is one digit: the next one belongs to what follows.
  const std::string_view digits = input_.substr(at_, peek() == '0' ? 1 : kMaxRustLengthDigits);
  const auto parsed = std::from_chars(digits.begin(), digits.end(), size);
  if (failed_ || parsed.ec != std::errc()) {
    failed_ = true;
    return {};
  }
  at_ += static_cast<std::size_t>(parsed.ptr - digits.begin());
  take_if('_');
  if (size > input_.size() - at_) {
    failed_ = true;
    return {};
  }
  std::string text(input_.substr(at_, size));
  at_ += size;
  if (punycode) text = "punycode{" + text + "}";
  return text;
}

RustV0Parser::Identifier RustV0Parser::identifier() {
  Identifier out;
  out.disambiguator = optional_base_62('s');
  out.text = plain_identifier();
  return out;
}

void RustV0Parser::path(bool in_value) {
  const Level level(*this);
  if (failed_) return;
  const char tag = take();
  switch (tag) {
    case 'C':
      print(identifier().text);
      return;
    case 'N':
      return nested_path(in_value);
    case 'M':
    case 'X':
    case 'Y':
      return inherent_impl(tag);
    case 'I':
      path(in_value);
      if (in_value) print("::");
      print("<");
      generic_args();
      print(">");
      return;
    case 'B':
      return back_reference([&] { path(in_value); });
    default:
      failed_ = true;
  }
}

void RustV0Parser::nested_path(bool in_value) {
  const char space = take();
  path(in_value);
  const Identifier name = identifier();
  if (space >= 'a' && space <= 'z') {
    if (!name.text.empty()) {
      print("::");
      print(name.text);
    }
    return;
  }
  print("::{");
  if (space == 'C') {
    print("closure");
  } else if (space == 'S') {
    print("shim");
  } else {
    print(std::string(1, space));
  }
  if (!name.text.empty()) {
    print(":");
    print(name.text);
  }
  print("#");
  print_number(name.disambiguator);
  print("}");
}

// M and X name the impl's own path first, for uniqueness only.
void RustV0Parser::inherent_impl(char tag) {
  if (tag != 'Y') {
    optional_base_62('s');
    const bool was_quiet = std::exchange(quiet_, true);
    path(false);
    quiet_ = was_quiet;
  }
  print("<");
  type();
  if (tag != 'M') {
    print(" as ");
    path(false);
  }
  print(">");
}

void RustV0Parser::generic_args() {
  for (bool first = true; !failed_ && !take_if('E'); first = false) {
    if (!first) print(", ");
    if (take_if('L')) {
      lifetime_from_index(base_62());
    } else if (take_if('K')) {
      constant();
    } else {
      type();
    }
  }
}

void RustV0Parser::lifetime_from_index(std::uint64_t index) {
  print("'");
  if (index == 0) {
    print("_");
    return;
  }
  if (index > bound_lifetimes_) {
    failed_ = true;
    return;
  }
  const std::uint64_t depth = bound_lifetimes_ - index;
  if (depth < 26) {
    print(std::string(1, static_cast<char>('a' + depth)));
  } else {
    print("_");
    print_number(depth);
  }
}

void RustV0Parser::binder() {
  const std::uint64_t count = optional_base_62('G');
  if (count > kMaxSteps - steps_) failed_ = true;
  if (failed_ || count == 0) return;
  print("for<");
  for (std::uint64_t i = 0; i < count; i++) {
    steps_++;
    if (i > 0) print(", ");
    bound_lifetimes_++;
    lifetime_from_index(1);
  }
  print("> ");
}

std::optional<std::string> demangle_rust_v0(std::string_view symbol) {
  if (!symbol.starts_with("_R")) return std::nullopt;
  // A suffix that no rule of without_clone_suffix() knows begins at the first dot or dollar.
  return RustV0Parser(symbol.substr(2, symbol.find_first_of(".$", 2) - 2)).run();
}

}  // namespace perfgap
