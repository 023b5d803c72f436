// Sampling a live target: from process ids to a Capture. The only entry to this folder.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/capture.h"
#include "model/error.h"

namespace perfgap {

struct CollectOptions {
  std::vector<std::uint64_t> pids;  // at least one, each > 0
  bool children = true;             // descendants too, alive or yet to be born
  std::chrono::milliseconds duration{10'000};
  std::string event =
      "cycles";  // libpfm4 name; `cycles` falls back to `cpu-clock` where no PMU answers
  std::uint64_t rate_hz = 499;
};

struct Progress {
  std::chrono::milliseconds elapsed{};
  std::chrono::milliseconds duration{};
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;
};

struct CollectHooks {
  std::function<void(const Progress&)> progress;  // about ten times a second; may be empty
  std::function<void(const std::string&)>
      diagnostic;  // one line each: clamped rate, a pid of several that is gone
  const std::atomic<bool>* stop = nullptr;  // set: end the window now and keep what was measured
};

// Runs for the duration, until `stop`, or until every target has ended. Fails if no target could be
// profiled; whatever was measured before an early end is returned.
Result<Capture> collect(const CollectOptions& options, const CollectHooks& hooks);

}  // namespace perfgap
