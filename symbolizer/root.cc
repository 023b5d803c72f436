#include "symbolizer/root.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "symbolizer/entry_code_x86_64.h"

namespace perfgap {
namespace {

constexpr std::uint64_t kMaxFunctionBytes = 16 << 10;
constexpr std::size_t kMaxCallees = 256;
constexpr std::size_t kEntryPointBytes = 64;
constexpr std::uint32_t kClone3 = 435;

std::vector<std::uint8_t> read_code(const ElfFile& file, std::uint64_t start, std::uint64_t size) {
  std::vector<std::uint8_t> code(std::min(size, kMaxFunctionBytes));
  code.resize(file.read(start, std::as_writable_bytes(std::span(code))));
  return code;
}

ReturnSite read_return_site(const ElfFile& file, std::uint64_t address) {
  ReturnSite site;
  site.address = address;
  std::ignore =
      file.read(address - site.before.size(), std::as_writable_bytes(std::span(site.before)));
  std::ignore = file.read(address, std::as_writable_bytes(std::span(site.after)));
  return site;
}

// Adds what the function that starts at `start` refers to; nothing if none starts there.
void collect_function_references(const ElfFile& file, const UnwindBounds& functions,
                                 std::uint64_t start, std::vector<std::uint64_t>& out) {
  const auto bounds = functions.find(start);
  if (!bounds || bounds->start != start) return;
  collect_references(read_code(file, start, bounds->end - start), start, file.fixed_position(),
                     out);
}

}  // namespace

bool is_entry_symbol(std::string_view symbol) {
  constexpr std::array<std::string_view, 6> kNames = {"_start",         "__libc_start_call_main",
                                                      "_rt0_amd64",     "_rt0_amd64_linux",
                                                      "runtime.rt0_go", "libc_start_main_stage2"};
  constexpr std::array<std::string_view, 3> kPrefixes = {"__libc_start_main", "runtime.goexit",
                                                         "runtime.mstart"};
  return std::ranges::find(kNames, symbol) != kNames.end() ||
         std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return symbol.starts_with(prefix); });
}

bool is_libc_entry_symbol(std::string_view symbol) {
  constexpr std::array<std::string_view, 11> kNames = {
      "clone",       "__clone", "clone3",    "__clone3",       "start_thread", "_start_c",
      "_dl_start_c", "start",   "_dl_start", "_dl_start_user", "start_c11"};
  return std::ranges::find(kNames, symbol) != kNames.end();
}

const EntryFinder::LibraryFunctions& EntryFinder::library() {
  if (library_) return *library_;
  constexpr std::array<std::string_view, 6> kNames = {"exit",           "__libc_start_main",
                                                      "pthread_create", "pthread_exit",
                                                      "__pthread_exit", "gnu_get_libc_version"};
  const auto found = symbols_->addresses_of(kNames);
  library_ = LibraryFunctions{.exit = found[0],
                              .start_main = found[1],
                              .create_thread = found[2],
                              .exit_thread = found[3] ? found[3] : found[4],
                              .is_glibc = found[5].has_value()};
  return *library_;
}

const UnwindBounds& EntryFinder::functions() {
  if (!functions_) functions_.emplace(*file_);
  return *functions_;
}

bool EntryFinder::is_entry(std::string_view symbol, std::uint64_t return_address) {
  if (file_ == nullptr) return false;
  if (symbol.empty()) return recognise(return_address) != Kind::none;
  if (is_entry_symbol(symbol)) return true;
  return is_libc_entry_symbol(symbol) && (library().start_main || library().create_thread);
}

std::string_view EntryFinder::name_of_entry(std::uint64_t return_address) {
  if (file_ == nullptr) return {};
  switch (recognise(return_address)) {
    case Kind::libc_start_call_main:
      return "__libc_start_call_main";
    case Kind::libc_start_main:
      return "__libc_start_main";
    case Kind::musl_start_main:
      return "libc_start_main_stage2";
    case Kind::start_thread:
      return "start_thread";
    case Kind::musl_start:
      return "start";
    case Kind::clone3:
      return "clone3";
    case Kind::none:
    case Kind::unnamed:
      return {};
  }
  return {};
}

EntryFinder::Kind EntryFinder::recognise(std::uint64_t return_address) {
  const ReturnSite site = read_return_site(*file_, return_address);
  if (!follows_indirect_call(site)) return Kind::none;
  if (exits_the_thread(site)) {
    constexpr std::uint64_t kLookBack = 64;
    const auto before = read_code(*file_, return_address - kLookBack, kLookBack);
    return loads_system_call(before, kClone3) ? Kind::clone3 : Kind::unnamed;
  }
  if (const auto target = call_with_result(site)) {
    if (library().exit_thread && !library().is_glibc && *target == *library().exit_thread)
      return Kind::musl_start;
    const Kind kind = recognise_main_caller(return_address, *target);
    if (kind != Kind::none) return kind;
  }
  return is_referenced(return_address, thread_start_references()) ? Kind::start_thread : Kind::none;
}

// `exit(main(...))`, where exit is the C library's own.
EntryFinder::Kind EntryFinder::recognise_main_caller(std::uint64_t return_address,
                                                     std::uint64_t exit_target) {
  if (!library().start_main) {
    return is_referenced(return_address, static_start_references()) ? Kind::libc_start_call_main
                                                                    : Kind::none;
  }
  if (!library().exit || *library().exit != exit_target) return Kind::none;
  return library().is_glibc ? Kind::libc_start_call_main : Kind::musl_start_main;
}

bool EntryFinder::is_referenced(std::uint64_t return_address,
                                std::span<const std::uint64_t> references) {
  const auto function = functions().find(return_address - 1);
  return function && std::ranges::binary_search(references, function->start);
}

// Of a static program without symbols: its entry point calls __libc_start_main, which refers to
// the function with the call of main.
std::span<const std::uint64_t> EntryFinder::static_start_references() {
  if (static_start_references_) return *static_start_references_;
  auto& references = static_start_references_.emplace();
  const std::uint64_t entry = file_->entry_point();
  const auto start_main = entry_call(read_code(*file_, entry, kEntryPointBytes), entry);
  if (start_main) collect_function_references(*file_, functions(), *start_main, references);
  std::ranges::sort(references);
  return references;
}

// glibc's start_thread is handed to clone by pthread_create, or by a function that it calls.
std::span<const std::uint64_t> EntryFinder::thread_start_references() {
  if (thread_start_references_) return *thread_start_references_;
  auto& references = thread_start_references_.emplace();
  if (!library().create_thread) return references;
  const std::uint64_t start = *library().create_thread;
  const auto creator = functions().find(start);
  if (!creator || creator->start != start) return references;
  collect_function_references(*file_, functions(), start, references);
  auto callees = direct_calls(read_code(*file_, start, creator->end - start), start);
  if (callees.size() > kMaxCallees) callees.resize(kMaxCallees);
  for (const std::uint64_t callee : callees)
    collect_function_references(*file_, functions(), callee, references);
  std::ranges::sort(references);
  return references;
}

RootVerdict judge_root(std::span<const RootFrame> frames, Outcome walk) {
  if (frames.empty()) return {.depth = 0, .outcome = Outcome::no_user_stack};
  std::size_t depth = 1;
  bool cut = false;
  while (depth < frames.size() && !cut) {
    if (!frames[depth].mapped) {
      cut = true;
    } else {
      depth++;
    }
  }
  // The leaf is no caller: a function of that name may just have been called.
  const auto callers = frames.subspan(1, depth - 1);
  const auto entry = std::ranges::find(callers, true, &RootFrame::entry);
  if (entry != callers.end()) {
    const auto beyond = std::ranges::find(entry, callers.end(), false, &RootFrame::entry);
    return {.depth = 1 + static_cast<std::size_t>(beyond - callers.begin()),
            .outcome = Outcome::complete};
  }
  if (cut) return {.depth = depth, .outcome = Outcome::bad_frame_pointer};
  if (walk != Outcome::complete) return {.depth = depth, .outcome = walk};
  // Zero frame pointer: an entry's own code keeps it so.
  const bool rooted = frames.front().entry && depth == 1;
  return {.depth = depth, .outcome = rooted ? Outcome::complete : Outcome::no_root};
}

}  // namespace perfgap
