// Everything the reports show, computed from a profile and a rule set. Pure: no kernel, no files,
// no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzers/categories.h"
#include "analyzers/interval.h"
#include "model/profile.h"

namespace perfgap {

// Category shares of one metric: roll-ups by the first part of the id, each followed by its
// unfolded rows. A category without a dot that has its roll-up to itself (`interp`, `unattributed`)
// is a roll-up that no row follows.
//
// Invariant: the spent-in weights of the roll-ups, `unattributed` included, sum to the metric's
// total, and the rows that follow a roll-up sum to it; no passes-through weight exceeds the total,
// and a roll-up's is between the largest and the sum of its rows'. All hold exactly, in integers,
// before any percentage is formed.
struct CategoryShare {
  std::string name;  // "gc.minor", or the roll-up "gc"
  bool is_rollup = false;
  std::int64_t passes_through =
      0;  // weight of samples with at least one frame of the category; each sample once
  std::int64_t spent_in = 0;  // weight of samples that belong to the category
  std::int64_t samples = 0;   // count of samples spent in it
  double spent_in_share = 0;
  double passes_through_share = 0;
  Interval spent_in_interval;
  Interval passes_through_interval;
};

struct FunctionShare {
  std::string name;         // "(no name)": all frames of a module that have none
  std::string module;       // last path component, or "[kernel]" and its like
  std::string location;     // "file:line", empty if unknown
  std::string category;     // the rule's id, empty without a rule
  std::vector<Tier> tiers;  // tiers its frames ran in, ascending, Tier::none left out
  FrameKind kind = FrameKind::unknown;
  std::int64_t self = 0;
  std::int64_t total = 0;  // each sample once, however often it recurses
};

struct ThreadShare {
  std::uint64_t pid = 0;
  std::uint64_t tid = 0;
  std::string name;
  std::int64_t weight = 0;
  std::int64_t samples = 0;
  std::optional<CpuUse> use;  // by the kernel's accounting, if the file has it
};

// How far the stacks can be trusted.
struct StackQuality {
  std::int64_t with_user_stack =
      0;  // samples, without those of unknown outcome; the denominator of `complete`
  std::int64_t complete = 0;
  std::vector<std::pair<Outcome, std::int64_t>> incomplete;  // by cause, most first
  std::int64_t unsymbolised_leaf = 0;  // samples whose deciding frame has no name
};

// What the target was doing, before any share is read.
enum class Verdict : std::uint8_t {
  cpu_bound,  // one thread, or all CPUs, at >= 95 %
  busy,       // used CPU, but not bound by it
  idle,       // hardly on a CPU: shares explain nothing
  unknown,    // the file carries no accounting
};
struct Utilisation {
  Verdict verdict = Verdict::unknown;
  double cores = 0;       // CPU used over wall, all counted processes
  double wait_share = 0;  // run-queue wait over (CPU + wait)
  double user_share = 0;  // of samples
  double kernel_share = 0;
  bool split_known = false;  // false when the event excludes one side, or there are no samples
  std::string busiest_thread;
  double busiest_thread_cores = 0;
  // Named pids that used under 0.05 cores and 10 % of what a busy descendant used; one entry for
  // each such descendant, the busiest first.
  struct Launcher {
    std::uint64_t pid = 0;
    double cores = 0;
    std::uint64_t child_pid = 0;
    std::string child_command;
    double child_cores = 0;
    bool counted = true;
  };
  std::vector<Launcher> launchers;
  double cpu_by_accounting_ns = 0;
  double cpu_by_samples_ns = 0;  // 0 unless the metric is time
};

// Whether the result may be trusted (exit code 3 when not), with each reason as a line for the
// reader.
struct Trust {
  bool trusted = true;
  std::vector<std::string> reasons;
};

struct Analysis {
  const Profile* profile = nullptr;
  std::size_t value_index = 0;  // of the metric shown
  std::string metric_type;      // "cpu"
  std::string metric_unit;      // "nanoseconds"
  std::int64_t total = 0;       // in the metric's unit
  std::int64_t samples = 0;     // count
  std::int64_t lost = 0;
  std::vector<CategoryShare>
      categories;  // roll-ups by weight, each followed by its rows; the fixed ones last
  std::vector<FunctionShare> functions;  // by self weight, then name
  std::vector<ThreadShare> threads;      // by weight, then tid
  StackQuality stacks;
  Utilisation utilisation;
  Trust trust;
  double delivered_hz = 0;    // samples per second of CPU used; 0 if unknown
  bool share_moving = false;  // the largest category still drifts: run longer
  std::string rule_hash;
  std::vector<std::string>
      notes;  // for the reader: the run's own, then what the figures themselves show
};

// The profile must outlive the result.
Analysis analyze(const Profile& profile, const CategoryRules& rules);

}  // namespace perfgap
