// Any bytes as a list of kernel symbols.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "symbolizer/kernel_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const perfgap::KernelSymbols symbols(std::string(reinterpret_cast<const char*>(data), size));
  if (symbols.hidden() && !symbols.empty()) abort();
  for (const std::uint64_t address :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x10}, std::uint64_t{0xffffffff81000000},
        std::uint64_t{0xffffffffc0201000}, UINT64_MAX}) {
    const auto found = symbols.find(address);
    if (found && found->name.empty()) abort();
  }
  return 0;
}
