// Any bytes as a perf map, and each name in it as a JIT name: an answer, and the same as reading
// all lines in order.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "symbolizer/jit_names.h"
#include "symbolizer/perf_map.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t address = 0; address < 0x200; address++) addresses.push_back(address);
  addresses.push_back(0x7f0000001000);
  addresses.push_back(UINT64_MAX);
  const perfgap::PerfMap map(text, addresses);
  if (map.bad_lines() > map.lines()) abort();
  for (const std::uint64_t address : addresses) {
    const auto found = map.find(address);
    if (!found) continue;
    if (found->name.empty() || found->name.find('\n') != std::string_view::npos) abort();
    if (perfgap::parse_jit_name(found->name).name.empty()) abort();
  }
  return 0;
}
