// Types and constants of Rust's v0 symbols.
#include <array>
#include <charconv>

#include "symbolizer/rust_v0.h"

namespace perfgap {
namespace {

// By letter, 'a' first.
constexpr std::array<std::string_view, 26> kBasicTypes = {
    "i8",   "bool", "char", "f64", "str", "f32", "",    "u8", "isize", "usize", "",    "i32", "u32",
    "i128", "u128", "_",    "",    "",    "i16", "u16", "()", "...",   "",      "i64", "u64", "!"};

std::string_view basic_type(char tag) {
  return tag >= 'a' && tag <= 'z' ? kBasicTypes[static_cast<std::size_t>(tag - 'a')] : "";
}

}  // namespace

void RustV0Parser::tuple(std::string_view open, std::string_view close) {
  print(open);
  std::size_t count = 0;
  for (; !failed_ && !take_if('E'); count++) {
    if (count > 0) print(", ");
    type();
  }
  if (count == 1 && open == "(" && close == ")") print(",");
  print(close);
}

void RustV0Parser::type() {
  const Level level(*this);
  if (failed_) return;
  const char tag = take();
  if (const std::string_view basic = basic_type(tag); !basic.empty()) return print(basic);
  switch (tag) {
    case 'R':
    case 'Q':
      print("&");
      if (take_if('L')) {
        if (const std::uint64_t index = base_62(); index != 0) {
          lifetime_from_index(index);
          print(" ");
        }
      }
      if (tag == 'Q') print("mut ");
      return type();
    case 'P':
      print("*const ");
      return type();
    case 'O':
      print("*mut ");
      return type();
    case 'A':
    case 'S':
      print("[");
      type();
      if (tag == 'A') {
        print("; ");
        constant();
      }
      return print("]");
    case 'T':
      return tuple("(", ")");
    case 'F':
      return function_type();
    case 'D':
      return dyn_type();
    case 'B':
      return back_reference([&] { type(); });
    default:
      at_--;
      path(false);
  }
}

void RustV0Parser::function_type() {
  const std::uint64_t outer = bound_lifetimes_;
  binder();
  if (take_if('U')) print("unsafe ");
  if (take_if('K')) {
    print("extern \"");
    if (take_if('C')) {
      print("C");
    } else {
      std::string abi = plain_identifier();
      for (char& c : abi) c = c == '_' ? '-' : c;
      print(abi);
    }
    print("\" ");
  }
  print("fn");
  print("(");
  for (bool first = true; !failed_ && !take_if('E'); first = false) {
    if (!first) print(", ");
    type();
  }
  print(")");
  if (!take_if('u')) {
    print(" -> ");
    type();
  }
  bound_lifetimes_ = outer;
}

void RustV0Parser::dyn_type() {
  print("dyn ");
  const std::uint64_t outer = bound_lifetimes_;
  binder();
  for (bool first = true; !failed_ && !take_if('E'); first = false) {
    if (!first) print(" + ");
    dyn_trait();
  }
  bound_lifetimes_ = outer;
  if (!take_if('L')) {
    failed_ = true;
    return;
  }
  if (const std::uint64_t index = base_62(); index != 0) {
    print(" + ");
    lifetime_from_index(index);
  }
}

// A path whose generic list stays open for the associated types that follow.
bool RustV0Parser::path_open_generics() {
  const Level level(*this);
  if (failed_) return false;
  if (take_if('B')) {
    bool open = false;
    back_reference([&] { open = path_open_generics(); });
    return open;
  }
  if (take_if('I')) {
    path(false);
    print("<");
    generic_args();
    return true;
  }
  path(false);
  return false;
}

void RustV0Parser::dyn_trait() {
  bool open = path_open_generics();
  while (take_if('p')) {
    print(open ? ", " : "<");
    open = true;
    print(plain_identifier());
    print(" = ");
    type();
  }
  if (open) print(">");
}

void RustV0Parser::constant() {
  const Level level(*this);
  if (failed_) return;
  const char tag = take();
  switch (tag) {
    case 'a':
    case 's':
    case 'l':
    case 'x':
    case 'n':
    case 'i':
      return constant_number(true);
    case 'h':
    case 't':
    case 'm':
    case 'y':
    case 'o':
    case 'j':
      return constant_number(false);
    case 'b':
    case 'c':
      return constant_text(tag);
    case 'p':
      return print("_");
    case 'B':
      return back_reference([&] { constant(); });
    default:
      failed_ = true;
  }
}

void RustV0Parser::constant_number(bool is_signed) {
  if (is_signed && take_if('n')) print("-");
  const std::size_t begin = at_;
  while (!failed_ && take() != '_') {
  }
  if (failed_) return;
  const std::string_view digits = input_.substr(begin, at_ - 1 - begin);
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(digits.begin(), digits.end(), value, 16);
  if (parsed.ptr != digits.end()) {
    failed_ = true;
  } else if (parsed.ec == std::errc::result_out_of_range) {
    print("0x");
    print(digits);
  } else {
    print_number(digits.empty() ? 0 : value);
  }
}

void RustV0Parser::constant_text(char tag) {
  const std::size_t begin = at_;
  while (!failed_ && take() != '_') {
  }
  if (failed_) return;
  const std::string_view digits = input_.substr(begin, at_ - 1 - begin);
  std::uint32_t value = 0;
  const auto parsed = std::from_chars(digits.begin(), digits.end(), value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != digits.end()) {
    failed_ = true;
  } else if (tag == 'b') {
    print(value == 0 ? "false" : "true");
  } else if (value >= 0x20 && value < 0x7f) {
    print(std::string{'\'', static_cast<char>(value), '\''});
  } else {
    print("'\\u{" + std::string(digits) + "}'");
  }
}

}  // namespace perfgap
