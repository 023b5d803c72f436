// Symbols as readers know them: C++ and Rust names demangled; compilers' suffixes, hashes, symbol
// versions and glibc's "__GI_" gone.
//
// Parameters of C++ functions are left out, as in perf's output; template arguments and
// "(anonymous namespace)" stay. A name that does not demangle, or would grow beyond bounds
// (hostile ones double with each few bytes), stays as it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace perfgap {

// Whatever the locale: names are bytes.
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

inline constexpr std::size_t kMaxNameBytes = 4096;

// The name to show for a symbol, at most kMaxNameBytes long.
std::string readable_name(std::string_view symbol);

// At most kMaxNameBytes of a name; "..." marks the cut.
std::string bounded_name(std::string_view name);

// Without .cold, .constprop.0, .isra.0, .part.0, .llvm.123 and their like.
std::string_view without_clone_suffix(std::string_view symbol);

// Mangled "_R..." of Rust's v0 scheme, crate hashes dropped.
std::optional<std::string> demangle_rust_v0(std::string_view symbol);

// Mangled "_ZN...17h<16 hex digits>E" of Rust's legacy scheme, the hash dropped.
std::optional<std::string> demangle_rust_legacy(std::string_view symbol);

// Mangled "_Z..." of the Itanium C++ ABI.
std::optional<std::string> demangle_cpp(std::string_view symbol);

}  // namespace perfgap
