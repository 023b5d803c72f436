// What a few bytes of x86-64 code around a return address prove about its function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace perfgap {

// Code around a return address: `before` ends right at it, `after` begins there. Bytes that could
// not be read are zero.
struct ReturnSite {
  std::uint64_t address = 0;
  std::array<std::uint8_t, 8> before{};
  std::array<std::uint8_t, 24> after{};
};

// The instruction before the return address is `call *operand`: it ran a function that it was
// given.
bool follows_indirect_call(const ReturnSite& site);

// The code passes the result on to the exit system call: no caller can be returned to.
bool exits_the_thread(const ReturnSite& site);

// Where the code calls with the first function's result as only argument: the target of
// `exit(main(...))` or `pthread_exit(routine(...))`.
std::optional<std::uint64_t> call_with_result(const ReturnSite& site);

// Everything that code at `address` may call or load the address of: each 4 bytes as a distance
// from their end, and as an address if `absolute` (programs at a fixed position). Looks at every
// byte, not every instruction: a chance match of 4 bytes with one given function is not to be
// feared.
void collect_references(std::span<const std::uint8_t> code, std::uint64_t address, bool absolute,
                        std::vector<std::uint64_t>& out);

// Targets of the direct calls in this code, with the same looseness.
std::vector<std::uint64_t> direct_calls(std::span<const std::uint8_t> code, std::uint64_t address);

// Target of the call in a program's entry code that is followed by hlt: __libc_start_main of a
// static program.
std::optional<std::uint64_t> entry_call(std::span<const std::uint8_t> code, std::uint64_t address);

// The number is loaded for a system call in this code: clone3's is 435.
bool loads_system_call(std::span<const std::uint8_t> code, std::uint32_t number);

}  // namespace perfgap
