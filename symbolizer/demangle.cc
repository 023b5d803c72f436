#include "symbolizer/demangle.h"

#include <algorithm>
#include <array>

namespace perfgap {
namespace {

constexpr std::size_t kMaxMangledBytes = 16 << 10;

// Without the version of a library's symbol ("@@GLIBC_2.3.2") and glibc's mark of its internal
// aliases ("__GI_"), which say nothing about the function.
std::string_view without_library_marks(std::string_view symbol) {
  constexpr std::string_view kInternalAlias = "__GI_";
  const std::size_t version = symbol.find('@');
  if (version != std::string_view::npos && version > 0 && symbol.substr(version) != "@plt")
    symbol = symbol.substr(0, version);
  if (symbol.starts_with(kInternalAlias) && symbol.size() > kInternalAlias.size())
    symbol.remove_prefix(kInternalAlias.size());
  return symbol;
}

// One suffix off the end; false if there is none.
bool drop_suffix(std::string_view& symbol) {
  constexpr std::array<std::string_view, 8> kSuffixes = {
      ".cold", ".constprop", ".isra", ".part", ".llvm", ".lto_priv", ".clone", ".localalias"};
  std::string_view rest = symbol;
  const std::size_t dot = rest.rfind('.');
  if (dot == std::string_view::npos) return false;
  if (dot + 1 < rest.size() && std::ranges::all_of(rest.substr(dot + 1), is_digit))
    rest = rest.substr(0, dot);
  for (const std::string_view suffix : kSuffixes) {
    if (rest.size() > suffix.size() && rest.ends_with(suffix)) {
      symbol = rest.substr(0, rest.size() - suffix.size());
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view without_clone_suffix(std::string_view symbol) {
  while (drop_suffix(symbol)) {
  }
  return symbol;
}

std::string bounded_name(std::string_view name) {
  if (name.size() <= kMaxNameBytes) return std::string(name);
  return std::string(name.substr(0, kMaxNameBytes - 3)) + "...";
}

std::string readable_name(std::string_view symbol) {
  const std::string_view bare = without_clone_suffix(without_library_marks(symbol));
  if (bare.size() > kMaxMangledBytes) return bounded_name(bare);
  std::optional<std::string> name;
  if (bare.starts_with("_R")) name = demangle_rust_v0(bare);
  if (bare.starts_with("_ZN")) name = demangle_rust_legacy(bare);
  if (!name && bare.starts_with("_Z")) name = demangle_cpp(bare);
  return bounded_name(name ? *name : bare);
}

}  // namespace perfgap
