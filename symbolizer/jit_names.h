// What the names in a perf map say: function, source place, tier and kind of code, by the customs
// of V8 and JavaScriptCore; other runtimes' names are taken as they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/profile.h"

namespace perfgap {

struct JitName {
  std::string name;         // for readers: "(anonymous)" where the runtime gives none
  std::string system_name;  // as written, without what differs from tier to tier
  std::string file;
  std::uint32_t line = 0;
  FrameKind kind = FrameKind::jit;
  Tier tier = Tier::none;
};

JitName parse_jit_name(std::string_view raw);

}  // namespace perfgap
