// Profiles to test with, and equality of two profiles by what their samples say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace perfgap::testing {

// A run of two processes with every kind, tier and outcome, inlined frames, frames without a name,
// labels of unknown meaning, comments, and names that are no UTF-8.
Profile rich_profile();

// `samples` samples over `functions` functions, `depth` frames deep; the same for equal arguments.
Profile large_profile(std::size_t samples, std::size_t functions, std::size_t depth);

// A run with a value in every field.
RunInfo full_run();

// A frame of a function in a module.
FrameId frame(Profile& profile, std::string_view name, std::string_view module,
              FrameKind kind = FrameKind::native, std::uint64_t address = 0x1000);

// A stack from frames, root first.
StackId stack(Profile& profile, const std::vector<FrameId>& frames);

// Everything a sample reaches, one line per sample in their order, with the profile's own facts in
// front: two profiles are equal if and only if these are.
std::string describe(const Profile& profile);

}  // namespace perfgap::testing
