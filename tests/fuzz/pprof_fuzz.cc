// Any bytes as a profile file: reading ends with an error or with a profile that survives saving.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/gzip.h"
#include "model/pprof.h"

namespace {

using namespace perfgap;

// Small enough that no input takes long, large enough that the budget is not all that is tested.
constexpr PprofLimits kLimits = {
    .uncompressed_bytes = std::size_t{1} << 20, .entries = 20'000, .frames = 100'000};

void check(std::string_view file) {
  const Result<PprofRead> first = read_pprof(file, kLimits);
  if (!first) {
    if (first.error().message.empty()) std::abort();
    if (first.error().message.find('\n') != std::string::npos) std::abort();
    return;
  }
  const std::string saved = write_pprof(first->profile);
  const Result<PprofRead> second = read_pprof(saved);
  if (!second || !second->warning.empty()) std::abort();
  if (second->profile.samples().values != first->profile.samples().values) std::abort();
  if (write_pprof(second->profile) != saved) std::abort();
}

}  // namespace

// The fuzzer cannot make gzip data by chance, so what is none is taken for the fields within.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(looks_like_gzip(bytes) ? std::string(bytes) : gzip(bytes));
  return 0;
}
