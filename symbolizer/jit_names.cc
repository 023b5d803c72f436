// V8 writes "TAG:MARKS NAME SCRIPT:LINE:COLUMN" for its own functions, e.g. "JS:*'get foo
// file:///a.mjs:3:18". The marks are the tier, `'` for code specialised to its context, and `o` for
// code that was entered from a running loop (V8 14 and later). "Builtin:X" is the code of symbol
// Builtins_X, "BytecodeHandler:X" that of Builtins_XHandler.
#include "symbolizer/jit_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace perfgap {
namespace {

constexpr std::string_view kUnnamedFunction = "(anonymous)";

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Takes ":NUMBER" from the end.
std::optional<std::uint32_t> take_trailing_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::uint32_t value = 0;
  const std::string_view digits = text.substr(colon + 1);
  const auto parsed = std::from_chars(digits.begin(), digits.end(), value);
  if (parsed.ec != std::errc() || parsed.ptr != digits.end()) return std::nullopt;
  text = text.substr(0, colon);
  return value;
}

std::optional<Tier> tier_of(char mark) {
  switch (mark) {
    case '~':
      return Tier::interpreted;
    case '^':
      return Tier::baseline;
    case '+':
      return Tier::midtier;
    case '*':
      return Tier::optimised;
    default:
      return std::nullopt;
  }
}

// Takes the marks; none if the text does not begin with any.
Tier take_marks(std::string_view& text) {
  const std::size_t at = text.size() > 1 && text[0] == 'o' && tier_of(text[1]) ? 1 : 0;
  if (text.size() <= at) return Tier::none;
  const auto tier = tier_of(text[at]);
  if (!tier) return Tier::none;
  text.remove_prefix(at + 1);
  take_prefix(text, "'");
  return *tier;
}

// Where the script begins: a function's name seldom holds blanks, but "get x" and computed names
// do; a script's path or URL shows itself by how it begins.
std::size_t script_start(std::string_view text) {
  constexpr std::array<std::string_view, 6> kBeginnings = {
      " /", " file:", " node:", " http:", " https:", " wasm:"};
  std::size_t first = std::string_view::npos;
  for (const std::string_view beginning : kBeginnings)
    first = std::min(first, text.find(beginning));
  if (first != std::string_view::npos) return first;
  const bool accessor = text.starts_with("get ") || text.starts_with("set ");
  return text.find(' ', accessor ? 4 : 0);
}

// "NAME SCRIPT:LINE:COLUMN" into its parts; false if it has no such place.
bool split_place(std::string_view text, JitName& out) {
  if (!take_trailing_number(text)) return false;
  const auto line = take_trailing_number(text);
  if (!line) return false;
  const std::size_t blank = script_start(text);
  if (blank == std::string_view::npos) return false;
  std::string_view file = text.substr(blank + 1);
  if (file.starts_with("file:///")) file.remove_prefix(7);
  out.name = text.substr(0, blank);
  out.file = file;
  out.line = *line;
  return true;
}

JitName builtin(std::string name) {
  return {.name = name, .system_name = name, .file = {}, .kind = FrameKind::builtin};
}

// "LdaZero.Wide" is the handler of symbol Builtins_LdaZeroWideHandler.
std::string handler_symbol(std::string_view bytecode) {
  std::string name = "Builtins_";
  std::ranges::copy_if(bytecode, std::back_inserter(name), [](char c) { return c != '.'; });
  return name + "Handler";
}

// Code of one script's function, its top level ("Script:") or an eval.
JitName v8_function(std::string_view tag, std::string_view rest) {
  JitName out;
  out.tier = take_marks(rest);
  out.kind = out.tier == Tier::interpreted ? FrameKind::interpreted : FrameKind::jit;
  out.system_name = std::string(tag).append(rest);
  if (!split_place(rest, out)) out.name = rest;
  if (tag == "JS:") {
    if (out.name.empty()) out.name = kUnnamedFunction;
  } else {
    out.name = std::string(tag).append(out.name.empty() ? out.file : out.name);
  }
  return out;
}

// "JS:NAME-INDEX-liftoff" or "-turbofan": WebAssembly's two compilers.
std::optional<JitName> wasm_function(std::string_view rest) {
  Tier tier = Tier::none;
  if (rest.ends_with("-liftoff")) tier = Tier::baseline;
  if (rest.ends_with("-turbofan")) tier = Tier::optimised;
  if (tier == Tier::none) return std::nullopt;
  rest = rest.substr(0, rest.rfind('-'));
  const std::size_t dash = rest.rfind('-');
  if (dash == std::string_view::npos || dash == 0 || dash + 1 == rest.size() ||
      !std::ranges::all_of(rest.substr(dash + 1), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return JitName{.name = std::string(rest.substr(0, dash)),
                 .system_name = "JS:" + std::string(rest),
                 .file = {},
                 .tier = tier};
}

// "JSC-DFG: name#hash": the hash stays in the system name, where it tells namesakes apart.
std::optional<JitName> jsc_function(std::string_view raw) {
  struct Prefix {
    std::string_view text;
    Tier tier;
  };
  constexpr std::array<Prefix, 3> kPrefixes = {Prefix{"JSC-Baseline: ", Tier::baseline},
                                               Prefix{"JSC-DFG: ", Tier::midtier},
                                               Prefix{"JSC-FTL: ", Tier::optimised}};
  for (const Prefix& prefix : kPrefixes) {
    std::string_view rest = raw;
    if (!take_prefix(rest, prefix.text)) continue;
    const std::string_view name = rest.substr(0, rest.rfind('#'));
    return JitName{.name = std::string(name.empty() ? kUnnamedFunction : name),
                   .system_name = "JSC: " + std::string(rest),
                   .file = {},
                   .tier = prefix.tier};
  }
  return std::nullopt;
}

}  // namespace

JitName parse_jit_name(std::string_view raw) {
  std::string_view rest = raw;
  if (take_prefix(rest, "JS:")) {
    if (auto wasm = wasm_function(rest)) return *wasm;
    return v8_function("JS:", rest);
  }
  if (take_prefix(rest, "Script:")) return v8_function("Script:", rest);
  if (take_prefix(rest, "Eval:")) return v8_function("Eval:", rest);
  if (take_prefix(rest, "Builtin:")) return builtin("Builtins_" + std::string(rest));
  if (take_prefix(rest, "BytecodeHandler:")) return builtin(handler_symbol(rest));
  if (auto jsc = jsc_function(raw)) return *jsc;
  if (take_prefix(rest, "RegExp.>")) {
    // "RegExp.> src: '...' flags: ''": the mark says native code; regular expressions have no tier.
    return {.name = "RegExp" + std::string(rest), .system_name = std::string(raw), .file = {}};
  }
  return {.name = std::string(raw), .system_name = std::string(raw), .file = {}};
}

}  // namespace perfgap
