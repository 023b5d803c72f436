// A profile: the symbolized capture, as dense tables plus sample columns. Everything is a weighted
// stack.
//
// Invariant: tables only grow; ids stay valid; entry 0 of every table is its "none". Every column
// of `samples` has the same length, every id in them is in range, and a stack node's parent has a
// smaller id than the node (so that one forward pass sees parents first). Reports keep totals: the
// values of a column sum to the same total in every report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/ids.h"
#include "model/run_info.h"

namespace perfgap {

enum class FrameKind : std::uint8_t { unknown, native, kernel, jit, interpreted, inlined, builtin };
inline constexpr std::size_t kFrameKinds = 7;
std::string_view to_string(FrameKind kind);  // "unknown" for FrameKind::unknown
std::optional<FrameKind> frame_kind_from(std::string_view name);

// How far a managed runtime had compiled the code of a frame. An attribute: the function stays one
// function.
enum class Tier : std::uint8_t { none, interpreted, baseline, midtier, optimised };
inline constexpr std::size_t kTiers = 5;
std::string_view to_string(Tier tier);  // "none" for Tier::none
std::optional<Tier> tier_from(std::string_view name);

// Why a user stack ended. `complete`: root reached, as docs/explanation/architecture.md defines it.
enum class Outcome : std::uint8_t {
  complete,
  no_user_stack,  // the sample has no user part (kernel thread, user stack not asked for)
  no_root,        // a zero frame pointer, but not inside a known entry
  bad_frame_pointer,
  read_fault,
  too_deep,
  unknown,  // read from a file that does not say
};
inline constexpr std::size_t kOutcomes = 7;
std::string_view to_string(Outcome outcome);
std::optional<Outcome> outcome_from(std::string_view name);

// A module. `file` is its path as the target saw it, or one of `[kernel]`, `[vdso]`, `[jit]`,
// `[anonymous]`,
// `[v8 builtins]`. Addresses of frames in an ELF module are its own virtual addresses (as linked),
// so that they do not depend on where a process loaded it; in the bracketed modules they are
// run-time addresses.
struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t limit = 0;
  std::uint64_t file_offset = 0;
  StringId file;
  StringId build_id;  // lower-case hex, empty if there is none
  bool operator==(const Mapping&) const = default;
};

struct Function {
  StringId name;         // demangled, tier and hash removed
  StringId system_name;  // as the symbol table or JIT map spells it
  StringId file;         // source file, empty if unknown
  std::uint32_t start_line = 0;
  bool operator==(const Function&) const = default;
};

// One place in code. Kind and tier are here, not on the function, because one function runs
// interpreted and compiled. kind == inlined: this frame's machine code lies in the next frame
// outwards that is not inlined.
struct Frame {
  FunctionId function;  // none: no name; shown as module+0xaddress
  MappingId mapping;
  std::uint64_t address = 0;
  std::uint32_t line = 0;
  FrameKind kind = FrameKind::unknown;
  Tier tier = Tier::none;
  bool operator==(const Frame&) const = default;
};

struct StackNode {
  StackId parent;
  FrameId frame;
  bool operator==(const StackNode&) const = default;
};

// A thread that samples belong to. CPU time and waiting are in RunInfo, by the kernel's accounting.
struct Thread {
  std::uint64_t pid = 0;
  std::uint64_t tid = 0;
  StringId comm;  // of the process
  StringId name;  // of the thread
  bool operator==(const Thread&) const = default;
};

// What one column of values counts, e.g. {"cpu", "nanoseconds"}.
struct ValueType {
  StringId type;
  StringId unit;
  bool operator==(const ValueType&) const = default;
};

// A label that this program gives no meaning to; kept so that load and save lose nothing.
struct Label {
  StringId key;
  StringId text;  // empty: the label is the number
  std::int64_t number = 0;
  StringId unit;
  bool operator==(const Label&) const = default;
};

// Milliseconds since the start of the run, rounded down to a 10 ms step; this value: the file gives
// no time.
inline constexpr std::uint32_t kNoTime = UINT32_MAX;
inline constexpr std::uint32_t kTimeStepMs = 10;

struct SampleColumns {
  std::vector<StackId> stack;
  std::vector<ThreadId> thread;
  std::vector<std::uint32_t> time_ms;
  std::vector<Outcome> outcome;
  std::vector<LabelSetId> labels;
  std::vector<std::vector<std::int64_t>> values;  // [value type][sample]

  [[nodiscard]] std::size_t size() const { return stack.size(); }
};

// One sample on its way into the columns. `values` is parallel to Profile::value_types().
struct Sample {
  StackId stack;
  ThreadId thread;
  std::uint32_t time_ms = kNoTime;
  Outcome outcome = Outcome::unknown;
  LabelSetId labels;
  std::vector<std::int64_t> values;
};

class Profile {
 public:
  Profile();

  // Interning: equal input gives the equal id. Amortised O(1).
  StringId intern(std::string_view text);
  MappingId intern(const Mapping& mapping);
  FunctionId intern(const Function& function);
  FrameId intern(const Frame& frame);
  StackId intern(const StackNode& node);
  ThreadId intern(const Thread& thread);
  LabelSetId intern(const std::vector<Label>& labels);

  // Fixes the columns; call once, before the first add().
  void set_value_types(const std::vector<ValueType>& types);
  // Adds one sample; samples equal in all but values are kept apart (merge_samples() joins them).
  void add(const Sample& sample);
  // Joins samples that agree in stack, thread, time step, outcome and labels, adding their values;
  // the order is then that of those keys, so equal profiles are equal files.
  void merge_samples();

  [[nodiscard]] std::string_view text(StringId id) const;
  [[nodiscard]] const Mapping& mapping(MappingId id) const;
  [[nodiscard]] const Function& function(FunctionId id) const;
  [[nodiscard]] const Frame& frame(FrameId id) const;
  [[nodiscard]] const StackNode& node(StackId id) const;
  [[nodiscard]] const Thread& thread(ThreadId id) const;
  [[nodiscard]] const std::vector<Label>& label_set(LabelSetId id) const;

  // Table sizes, the reserved entry 0 included.
  [[nodiscard]] std::size_t string_count() const;
  [[nodiscard]] std::size_t mapping_count() const;
  [[nodiscard]] std::size_t function_count() const;
  [[nodiscard]] std::size_t frame_count() const;
  [[nodiscard]] std::size_t stack_count() const;
  [[nodiscard]] std::size_t thread_count() const;

  [[nodiscard]] const std::vector<ValueType>& value_types() const;
  // The column of a metric ("samples", "cpu", "cycles", ...), if the profile has it.
  [[nodiscard]] std::optional<std::size_t> value_index(std::string_view type) const;
  // The column that reports show unless told otherwise: `cpu`, else the file's default, else the
  // last.
  [[nodiscard]] std::size_t default_value_index() const;
  [[nodiscard]] const SampleColumns& samples() const;
  [[nodiscard]] std::int64_t total(std::size_t value_index) const;

  // Nominal distance of two samples, in the unit of the default column; 0 if unknown.
  std::int64_t period = 0;
  StringId default_type;              // pprof's default_sample_type, empty if unset
  std::vector<std::string> comments;  // free text, the manifest not among them
  RunInfo run;                        // what was measured, how; empty() for another producer's file

 private:
  std::vector<std::string> strings_;
  std::vector<Mapping> mappings_;
  std::vector<Function> functions_;
  std::vector<Frame> frames_;
  std::vector<StackNode> nodes_;
  std::vector<Thread> threads_;
  std::vector<std::vector<Label>> label_sets_;
  std::vector<ValueType> value_types_;
  SampleColumns samples_;

  // Keyed by hash; the entry itself decides equality.
  std::unordered_multimap<std::size_t, StringId> string_index_;
  std::unordered_multimap<std::size_t, MappingId> mapping_index_;
  std::unordered_multimap<std::size_t, FunctionId> function_index_;
  std::unordered_multimap<std::size_t, FrameId> frame_index_;
  std::unordered_multimap<std::size_t, ThreadId> thread_index_;
  std::unordered_multimap<std::size_t, LabelSetId> label_index_;
  // Stack nodes are met once a frame of every sample, so theirs is an open-addressed table of
  // ids, at most half full; 0: free.
  std::vector<std::uint32_t> node_slots_;

  std::uint32_t& node_slot(const StackNode& node);
  void grow_node_slots();
};

// Display name of a frame: the function's name, else "module+0xaddress" with the module's last path
// component.
std::string display_name(const Profile& profile, FrameId frame);

}  // namespace perfgap
