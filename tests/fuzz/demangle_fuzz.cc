// Any bytes as a symbol: a bounded name, in bounded time.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "symbolizer/demangle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* prefix : {"", "_Z", "_ZN", "_R"}) {
    const std::string name = perfgap::readable_name(prefix + text);
    if (name.size() > perfgap::kMaxNameBytes) abort();
  }
  return 0;
}
