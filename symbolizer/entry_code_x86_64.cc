#include "symbolizer/entry_code_x86_64.h"

#include <algorithm>
#include <cstring>

namespace perfgap {
namespace {

using CodeBytes = std::span<const std::uint8_t>;

std::int32_t read_i32(CodeBytes bytes) {
  std::int32_t value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// Of `call distance` at `address`.
std::uint64_t call_target(CodeBytes call, std::uint64_t address) {
  return address + 5 + static_cast<std::uint64_t>(std::int64_t{read_i32(call.subspan(1))});
}

bool starts_with(CodeBytes bytes, std::initializer_list<std::uint8_t> wanted) {
  return bytes.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), bytes.begin());
}

// Length of `call *operand` (FF /2) at the start of `bytes`, without prefixes; 0: something else.
std::size_t indirect_call_length(CodeBytes bytes) {
  if (bytes.size() < 2 || bytes[0] != 0xff || (bytes[1] >> 3 & 7) != 2) return 0;
  const int mode = bytes[1] >> 6;
  const int base = bytes[1] & 7;
  if (mode == 3) return 2;
  std::size_t length = 2;
  bool base_is_displacement = mode == 0 && base == 5;
  if (base == 4) {
    if (bytes.size() < 3) return 0;
    base_is_displacement = mode == 0 && (bytes[2] & 7) == 5;
    length++;
  }
  if (mode == 1) length += 1;
  if (mode == 2 || base_is_displacement) length += 4;
  return length;
}

// Bytes of the moves that make a result (rax) the first argument (rdi), at the start of `bytes`.
std::size_t result_to_argument_length(CodeBytes bytes) {
  if (starts_with(bytes, {0x89, 0xc7})) return 2;                    // mov %eax,%edi
  if (starts_with(bytes, {0x48, 0x89, 0xc7})) return 3;              // mov %rax,%rdi
  if (starts_with(bytes, {0x48, 0x63, 0xf8})) return 3;              // movslq %eax,%rdi
  if (starts_with(bytes, {0x48, 0x98, 0x48, 0x89, 0xc7})) return 5;  // cltq; mov
  return 0;
}

}  // namespace

bool follows_indirect_call(const ReturnSite& site) {
  const CodeBytes before(site.before);
  for (std::size_t length = 2; length <= 7; length++) {
    if (indirect_call_length(before.last(length)) == length) return true;
  }
  return false;
}

bool exits_the_thread(const ReturnSite& site) {
  CodeBytes code(site.after);
  code = code.subspan(result_to_argument_length(code));
  constexpr std::array<std::uint32_t, 2> kExits = {60, 231};  // exit, exit_group
  for (const std::uint32_t number : kExits) {
    const auto low = static_cast<std::uint8_t>(number);
    if (starts_with(code, {0xb8, low, 0, 0, 0, 0x0f, 0x05}) ||     // mov $n,%eax; syscall
        starts_with(code, {0x31, 0xc0, 0xb0, low, 0x0f, 0x05}) ||  // xor; mov $n,%al; syscall
        starts_with(code, {0x6a, low, 0x58, 0x0f, 0x05}))          // push $n; pop; syscall
      return true;
  }
  return false;
}

std::optional<std::uint64_t> call_with_result(const ReturnSite& site) {
  const CodeBytes after(site.after);
  const std::size_t moves = result_to_argument_length(after);
  if (moves == 0 || after[moves] != 0xe8) return std::nullopt;
  return call_target(after.subspan(moves), site.address + moves);
}

void collect_references(std::span<const std::uint8_t> code, std::uint64_t address, bool absolute,
                        std::vector<std::uint64_t>& out) {
  for (std::size_t at = 0; at + 4 <= code.size(); at++) {
    const auto value = static_cast<std::uint64_t>(std::int64_t{read_i32(code.subspan(at))});
    out.push_back(address + at + 4 + value);
    if (absolute) out.push_back(value);
  }
}

std::vector<std::uint64_t> direct_calls(std::span<const std::uint8_t> code, std::uint64_t address) {
  std::vector<std::uint64_t> targets;
  for (std::size_t at = 0; at + 5 <= code.size(); at++) {
    if (code[at] == 0xe8) targets.push_back(call_target(code.subspan(at), address + at));
  }
  return targets;
}

std::optional<std::uint64_t> entry_call(std::span<const std::uint8_t> code, std::uint64_t address) {
  for (std::size_t at = 0; at + 6 <= code.size(); at++) {
    if (code[at] == 0xe8 && code[at + 5] == 0xf4)
      return call_target(code.subspan(at), address + at);
  }
  return std::nullopt;
}

bool loads_system_call(std::span<const std::uint8_t> code, std::uint32_t number) {
  for (std::size_t at = 0; at + 5 <= code.size(); at++) {
    if (code[at] == 0xb8 && static_cast<std::uint32_t>(read_i32(code.subspan(at + 1))) == number)
      return true;
  }
  return false;
}

}  // namespace perfgap
