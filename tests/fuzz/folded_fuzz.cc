// Folded stacks of arbitrary names: the strict grammar holds and no weight is lost.
//
// Input: frames as "length byte, bytes"; a length of 0 ends a stack, of which the next byte is the
// weight.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "reports/folded.h"
#include "tests/reports/folded_grammar.h"

using namespace perfgap;

namespace {

Profile profile_from(std::string_view input) {
  Profile profile;
  profile.set_value_types({{profile.intern("cpu"), profile.intern("nanoseconds")}});
  StackId stack;
  const auto take = [&](std::size_t count) {
    const std::string_view taken = input.substr(0, count);
    input.remove_prefix(taken.size());
    return taken;
  };
  while (!input.empty()) {
    const auto length = static_cast<unsigned char>(take(1)[0]);
    if (length > 0) {
      const StringId name = profile.intern(take(length));
      const FunctionId function = profile.intern(Function{name, name, StringId(), 0});
      Frame frame{function,  MappingId(), 0, 0, static_cast<FrameKind>(length % kFrameKinds),
                  Tier::none};
      stack = profile.intern(StackNode{stack, profile.intern(frame)});
      continue;
    }
    const std::string_view weight = take(1);
    Sample sample;
    sample.stack = stack;
    sample.values = {weight.empty() ? 1 : static_cast<unsigned char>(weight[0])};
    profile.add(sample);
    stack = StackId();
  }
  return profile;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Profile profile = profile_from({reinterpret_cast<const char*>(data), size});
  for (const bool option : {false, true}) {
    const std::string text = folded_stacks(profile, 0, {option, option});
    if (const std::string problem = folded_problem(text, profile.total(0)); !problem.empty()) {
      std::fprintf(stderr, "%s\n", problem.c_str());
      std::abort();
    }
  }
  return 0;
}
