// Trust: the three limits of exit code 3, and whether samples and the kernel's accounting agree.
#include "analyzers/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzers/measures.h"

namespace perfgap {
namespace {

constexpr std::int64_t kFewestSamples = 100;
constexpr double kMostLost = 0.05;
constexpr double kMostIncomplete = 0.10;
constexpr double kAgreement = 0.02;

std::string with_commas(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string spelled(Outcome outcome) {
  std::string words(to_string(outcome));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string_view main_loss(const RunInfo& run) {
  const auto largest =
      std::ranges::max_element(run.losses, {}, [](const auto& loss) { return loss.second; });
  return largest == run.losses.end() ? std::string_view() : std::string_view(largest->first);
}

// Why samples and accounting may differ, as far as the file tells.
std::string disagreement_cause(const Analysis& analysis, double tolerance) {
  const double with_lost = share_of(static_cast<double>(analysis.samples + analysis.lost),
                                    static_cast<double>(analysis.samples));
  const double ratio =
      analysis.utilisation.cpu_by_samples_ns / analysis.utilisation.cpu_by_accounting_ns;
  if (analysis.lost > 0 && std::abs(ratio * with_lost - 1) <= tolerance) {
    return fmt::format("{} lost samples explain it", with_commas(analysis.lost));
  }
  if (ratio < 1) {
    return "sampling interrupts came late or not at all, as when a host takes the CPU away; shares "
           "hold, absolute times come from the accounting";
  }
  return "more was sampled than accounted: late sampling interrupts came together, or processes "
         "ended before their accounting was read; shares hold";
}

std::string disagreement(const Analysis& analysis) {
  const RunInfo& run = analysis.profile->run;
  const double sampled = analysis.utilisation.cpu_by_samples_ns;
  const double accounted = analysis.utilisation.cpu_by_accounting_ns;
  if (sampled <= 0 || accounted <= 0 || run.event.excludes_kernel || run.event.excludes_user) {
    return {};
  }
  // A count of samples scatters by its root.
  const double noise =
      3 / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, analysis.samples)));
  const double tolerance = std::max(kAgreement, noise);
  const double difference = sampled / accounted - 1;
  if (std::abs(difference) <= tolerance) return {};
  return fmt::format(
      "samples stand for {:.2f} s of CPU, the kernel accounts for {:.2f} s ({:+.1f} %): {}",
      sampled / 1e9, accounted / 1e9, 100 * difference, disagreement_cause(analysis, tolerance));
}

// Heap figures are scaled counts: how many stacks they come from says nothing of their precision.
bool counts_time(const Analysis& analysis) {
  return analysis.metric_unit != "bytes" && !analysis.metric_type.ends_with("objects");
}

}  // namespace

Trust judge_trust(const Analysis& analysis) {
  Trust trust;
  if (analysis.samples < kFewestSamples && counts_time(analysis)) {
    trust.reasons.push_back(
        fmt::format("{} sample{} where {} are needed: run longer or at a higher rate",
                    analysis.samples, analysis.samples == 1 ? "" : "s", kFewestSamples));
  }
  const std::int64_t taken = analysis.samples + analysis.lost;
  const double lost = share_of(static_cast<double>(analysis.lost), static_cast<double>(taken));
  if (lost > kMostLost) {
    trust.reasons.push_back(fmt::format("{:.1f} % of samples lost ({} of {}), most by: {}",
                                        100 * lost, with_commas(analysis.lost), with_commas(taken),
                                        main_loss(analysis.profile->run)));
  }
  const StackQuality& stacks = analysis.stacks;
  const std::int64_t incomplete = stacks.with_user_stack - stacks.complete;
  const double incomplete_share =
      share_of(static_cast<double>(incomplete), static_cast<double>(stacks.with_user_stack));
  if (incomplete_share > kMostIncomplete) {
    trust.reasons.push_back(
        fmt::format("{:.1f} % of user stacks incomplete ({} of {}), most by: {}",
                    100 * incomplete_share, with_commas(incomplete),
                    with_commas(stacks.with_user_stack), spelled(stacks.incomplete.front().first)));
  }
  trust.trusted = trust.reasons.empty();
  return trust;
}

std::vector<std::string> notes(const Analysis& analysis) {
  const RunInfo& run = analysis.profile->run;
  std::vector<std::string> notes = run.notes;
  if (std::string line = disagreement(analysis); !line.empty()) notes.push_back(std::move(line));
  if (!run.rule_hash.empty() && run.rule_hash != analysis.rule_hash) {
    notes.push_back(fmt::format("recorded with rules {}, categories shown by rules {}",
                                run.rule_hash, analysis.rule_hash));
  }
  return notes;
}

}  // namespace perfgap
