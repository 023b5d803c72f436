// The BPF side as user space sees it: programs loaded, one sampling event per CPU, the set of
// wanted processes, the ring.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bpf/wire.h"
#include "collector/event.h"
#include "model/error.h"

namespace perfgap {

struct SamplerCallbacks {
  // `addresses`: user frames, then kernel frames, each leaf first.
  std::function<void(const sample_record&, std::span<const std::uint64_t> addresses)> sample;
  std::function<void(const thread_exit_record&)> thread_exit;
  std::function<void(const child_record&)> child;
};

class BpfSampler {
 public:
  // Loads the programs and follows forks and exits from here on; samples come only after
  // start_sampling().
  static Result<BpfSampler> load(bool follow_children, SamplerCallbacks callbacks);
  BpfSampler(BpfSampler&&) noexcept;
  BpfSampler& operator=(BpfSampler&&) noexcept;
  ~BpfSampler();

  Result<void> add_target(std::uint64_t pid);
  [[nodiscard]] bool has_target(std::uint64_t pid) const;

  // Opens the event on every CPU; returns on how many it runs. CPUs that went offline are skipped.
  Result<std::uint32_t> start_sampling(const SamplingEvent& event, std::uint64_t rate_hz,
                                       const std::vector<std::uint32_t>& cpus);
  void stop_sampling();

  // Delivers waiting records to the callbacks, in the order they were written. At most
  // kRecordsPerDrain, so that records coming in faster than they are read cannot hold the caller;
  // true if there may be more.
  static constexpr std::uint32_t kRecordsPerDrain = 65'536;
  bool drain();
  // Becomes readable when the ring fills between two drains.
  [[nodiscard]] int descriptor() const;

  // Counts by cause so far; index is loss_cause.
  [[nodiscard]] std::vector<std::uint64_t> losses() const;
  // Run time of the programs so far, all CPUs.
  [[nodiscard]] std::uint64_t run_time_ns() const;

 private:
  struct State;
  explicit BpfSampler(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace perfgap
