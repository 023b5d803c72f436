// Hash of a few integers, for the interning tables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perfgap {

// Multiply and fold: the high bits depend on all input bits, so the fold brings them to the low
// ones that tables use.
inline std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t value) {
  const std::uint64_t product = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return product ^ (product >> 32);
}

template <typename... Values>
std::size_t hash_values(Values... values) {
  std::uint64_t hash = 0x2545f4914f6cdd1dU;
  ((hash = mix_hash(hash, static_cast<std::uint64_t>(values))), ...);
  return hash;
}

}  // namespace perfgap
