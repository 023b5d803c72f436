#include "symbolizer/jit_names.h"

#include <gtest/gtest.h>

#include <tuple>

namespace perfgap {
namespace {

// Names as Node 20, 24 and 26 wrote them: function, place, tier and kind.
TEST(JitNames, V8Functions) {
  struct Case {
    const char* raw;
    const char* name;
    const char* file;
    std::uint32_t line;
    Tier tier;
    FrameKind kind;
  };
  const Case cases[] = {
      {"JS:*'Readable.read node:internal/streams/readable:656:35", "Readable.read",
       "node:internal/streams/readable", 656, Tier::optimised, FrameKind::jit},
      {"JS:^onParserExecute node:_http_server:963:25", "onParserExecute", "node:_http_server", 963,
       Tier::baseline, FrameKind::jit},
      {"JS:+get node:internal/streams/readable:139:8", "get", "node:internal/streams/readable", 139,
       Tier::midtier, FrameKind::jit},
      {"JS:~onwrite node:internal/streams/writable:617:17", "onwrite",
       "node:internal/streams/writable", 617, Tier::interpreted, FrameKind::interpreted},
      {"JS:*' node:internal/validators:471:42", "(anonymous)", "node:internal/validators", 471,
       Tier::optimised, FrameKind::jit},
      {"JS:*'get foo file:///srv/many.mjs:3:18", "get foo", "/srv/many.mjs", 3, Tier::optimised,
       FrameKind::jit},
      {"JS:^my key file:///srv/my app/many.mjs:5:18", "my key", "/srv/my app/many.mjs", 5,
       Tier::baseline, FrameKind::jit},
      {"JS:^evfn :1:15", "evfn", "", 1, Tier::baseline, FrameKind::jit},
      {"JS:+'vmfn my file;x.js:1:15", "vmfn", "my file;x.js", 1, Tier::midtier, FrameKind::jit},
      {"JS:*set x app.js:4:2", "set x", "app.js", 4, Tier::optimised, FrameKind::jit},
      {"JS:o*spin /srv/spin.js:9:14", "spin", "/srv/spin.js", 9, Tier::optimised, FrameKind::jit},
      {"JS:*o /srv/o.js:9:14", "o", "/srv/o.js", 9, Tier::optimised, FrameKind::jit},
      {"JS:of /srv/o.js:9:14", "of", "/srv/o.js", 9, Tier::none, FrameKind::jit},
      {"Script:~ file:///srv/app.mjs:1:1", "Script:/srv/app.mjs", "/srv/app.mjs", 1,
       Tier::interpreted, FrameKind::interpreted},
      {"Eval:~ node:_http_common:1:1", "Eval:node:_http_common", "node:_http_common", 1,
       Tier::interpreted, FrameKind::interpreted},
      {"JS:*'", "(anonymous)", "", 0, Tier::optimised, FrameKind::jit},
      {"JS:", "(anonymous)", "", 0, Tier::none, FrameKind::jit},
  };
  for (const Case& expected : cases) {
    const JitName got = parse_jit_name(expected.raw);
    EXPECT_EQ(got.name, expected.name) << expected.raw;
    EXPECT_EQ(got.file, expected.file) << expected.raw;
    EXPECT_EQ(got.line, expected.line) << expected.raw;
    EXPECT_EQ(got.tier, expected.tier) << expected.raw;
    EXPECT_EQ(got.kind, expected.kind) << expected.raw;
  }
}

// One function under any tier is one function: all but tier and kind agree.
TEST(JitNames, TiersOfOneFunctionAgree) {
  const auto identity = [](std::string_view raw) {
    const JitName name = parse_jit_name(raw);
    return std::tuple(name.name, name.system_name, name.file, name.line);
  };
  const auto expected = identity("JS:~handler file:///srv/app.mjs:2:18");
  for (const char* raw :
       {"JS:^handler file:///srv/app.mjs:2:18", "JS:+handler file:///srv/app.mjs:2:18",
        "JS:+'handler file:///srv/app.mjs:2:18", "JS:*handler file:///srv/app.mjs:2:18",
        "JS:*'handler file:///srv/app.mjs:2:18", "JS:o*'handler file:///srv/app.mjs:2:18"})
    EXPECT_EQ(identity(raw), expected) << raw;
  EXPECT_NE(identity("JS:*handler file:///srv/app.mjs:3:18"), expected);
  EXPECT_EQ(std::get<1>(expected), "JS:handler file:///srv/app.mjs:2:18");

  EXPECT_EQ(identity("JS:wasm-function[3]-3-liftoff"), identity("JS:wasm-function[3]-3-turbofan"));
  EXPECT_EQ(identity("JSC-DFG: render#A1b2"), identity("JSC-FTL: render#A1b2"));
}

// V8's own code has the name of its symbol in the binary, so that both are one function.
TEST(JitNames, BuiltinsAreNamedAsTheirSymbols) {
  const auto expect = [](std::string_view raw, std::string_view name) {
    const JitName got = parse_jit_name(raw);
    EXPECT_EQ(got.name, name);
    EXPECT_EQ(got.system_name, name);
    EXPECT_EQ(got.kind, FrameKind::builtin);
    EXPECT_EQ(got.tier, Tier::none);
  };
  expect("Builtin:RunMicrotasks", "Builtins_RunMicrotasks");
  expect("BytecodeHandler:LdaZero", "Builtins_LdaZeroHandler");
  expect("BytecodeHandler:LdaZero.ExtraWide", "Builtins_LdaZeroExtraWideHandler");
}

// WebAssembly's two compilers are tiers; its names are kept.
TEST(JitNames, WebAssembly) {
  const JitName liftoff = parse_jit_name("JS:wasm-function[12]-12-liftoff");
  EXPECT_EQ(liftoff.name, "wasm-function[12]");
  EXPECT_EQ(liftoff.tier, Tier::baseline);
  const JitName turbofan = parse_jit_name("JS:dot-product-7-turbofan");
  EXPECT_EQ(turbofan.name, "dot-product");
  EXPECT_EQ(turbofan.tier, Tier::optimised);
}

// Everything else stays as it is written.
TEST(JitNames, OtherRuntimesNamesAreKept) {
  for (const char* raw :
       {"Lorg/demo/Gen;::run", "void f(int, long) app.js:1:2", "py::main:/srv/app.py", "x", ""}) {
    const JitName got = parse_jit_name(raw);
    EXPECT_EQ(got.name, raw);
    EXPECT_EQ(got.system_name, raw);
    EXPECT_EQ(got.kind, FrameKind::jit);
    EXPECT_EQ(got.tier, Tier::none);
  }
  EXPECT_EQ(parse_jit_name("RegExp.> src: '[0-9]+' flags: 'g'").name,
            "RegExp src: '[0-9]+' flags: 'g'");
}

}  // namespace
}  // namespace perfgap
