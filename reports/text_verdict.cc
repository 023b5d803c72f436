// How busy the target was and how far the figures can be trusted, said before any share.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/figures.h"
#include "reports/text_sections.h"

namespace perfgap {
namespace {

constexpr double kBusyCores = 0.05;  // below it a process is not worth a line

std::string cores_used(double used) {
  return used > 0 && used < 0.005 ? "under 0.01 cores" : cores(used) + " cores";
}

std::string process_name(std::uint64_t pid, const std::string& command) {
  return command.empty() ? fmt::format("{}", pid)
                         : fmt::format("{} ({})", pid, short_command(command));
}

// Busy children of one launcher, the busiest first.
using Children = std::span<const Utilisation::Launcher>;

std::string pid_options(Children children) {
  constexpr std::size_t kMost = 4;
  std::string options;
  for (const auto& child : children.first(std::min(children.size(), kMost))) {
    options += fmt::format(" --pid {}", child.child_pid);
  }
  return children.size() > kMost ? options + " ..." : options;
}

void print_launcher(Page& page, Children children) {
  const Utilisation::Launcher& busiest = children.front();
  const std::string name = process_name(busiest.child_pid, busiest.child_command);
  std::string text = fmt::format("pid {} used {} cores; ", busiest.pid, cores(busiest.cores));
  if (children.size() == 1) {
    text += fmt::format("its child {} used {}", name, cores(busiest.child_cores));
    text += busiest.counted ? " and is included below."
                            : "; it is not counted here: profile" + pid_options(children);
  } else {
    double used = 0;
    for (const auto& child : children) used += child.child_cores;
    text += fmt::format("its {} busy children used {}, the busiest, {}, {}", children.size(),
                        cores(used), name, cores(busiest.child_cores));
    text += busiest.counted ? "; they are included below."
                            : "; they are not counted here: profile" + pid_options(children);
  }
  page.paragraph("Launcher: ", text, Emphasis::warning);
}

void print_launchers(Page& page, Children launchers) {
  while (!launchers.empty()) {
    const auto same = std::ranges::find_if(
        launchers, [&](const auto& other) { return other.pid != launchers.front().pid; });
    const auto count = static_cast<std::size_t>(same - launchers.begin());
    print_launcher(page, launchers.first(count));
    launchers = launchers.subspan(count);
  }
}

bool named_as_child(std::uint64_t pid, Children launchers) {
  return std::ranges::any_of(launchers, [&](const auto& child) { return child.child_pid == pid; });
}

// Busy descendants left out by request, unless a launcher's line names them already.
void print_not_counted(Page& page, const Analysis& analysis) {
  constexpr std::size_t kMost = 3;
  const RunInfo& run = run_of(analysis);
  if (run.run_ms == 0) return;
  const auto cores_of = [&](const ProcessRun& process) {
    return static_cast<double>(process.use.cpu_ns) / (1e6 * static_cast<double>(run.run_ms));
  };
  std::vector<const ProcessRun*> busy;
  for (const ProcessRun& process : run.processes) {
    if (process.counted || cores_of(process) < kBusyCores) continue;
    if (!named_as_child(process.pid, analysis.utilisation.launchers)) busy.push_back(&process);
  }
  std::ranges::sort(busy, [](const ProcessRun* a, const ProcessRun* b) {
    return a->use.cpu_ns != b->use.cpu_ns ? a->use.cpu_ns > b->use.cpu_ns : a->pid < b->pid;
  });
  for (std::size_t i = 0; i < std::min(busy.size(), kMost); ++i) {
    const ProcessRun& child = *busy[i];
    const std::string& command = child.command.empty() ? child.comm : child.command;
    page.paragraph("Not counted: ",
                   fmt::format("child {} used {} cores: profile --pid {}",
                               process_name(child.pid, command), cores(cores_of(child)), child.pid),
                   Emphasis::warning);
  }
  if (busy.size() > kMost) {
    page.paragraph("Not counted: ", fmt::format("{} more busy children", busy.size() - kMost),
                   Emphasis::warning);
  }
}

void print_idle(Page& page, const Analysis& analysis) {
  const Utilisation& use = analysis.utilisation;
  if (analysis.samples == 0 && use.cores < kBusyCores) {
    const char* lead = use.verdict == Verdict::unknown ? "0 samples: " : "Idle, 0 samples: ";
    page.paragraph(lead, "the process was not on a CPU; shares n/a.", Emphasis::warning);
  } else if (analysis.samples == 0) {
    page.paragraph("0 samples: ",
                   fmt::format("the target used {} cores, but no sample of it arrived; shares n/a.",
                               cores(use.cores)),
                   Emphasis::warning);
  } else if (use.verdict == Verdict::idle) {
    const char* shares =
        shares_known(analysis) ? "; the shares below explain next to nothing." : ".";
    page.paragraph("Idle: ", "used " + cores_used(use.cores) + shares, Emphasis::warning);
  }
}

std::string thread_name(const std::string& name) {
  return name.empty() ? "its busiest thread" : "thread " + name;
}

std::string stacks_fact(const StackQuality& stacks) {
  std::string fact = "stacks " + percent_of(stacks.complete, stacks.with_user_stack);
  if (stacks.with_user_stack == 0) return fact;
  fact += " complete";
  const char* separator = " (";
  for (const auto& [cause, count] : stacks.incomplete) {
    if (count == 0) continue;
    std::string name(to_string(cause));
    for (char& c : name) c = c == '_' ? ' ' : c;
    fact += separator + name + " " + percent_of(count, stacks.with_user_stack);
    separator = ", ";
  }
  return separator[0] == ',' ? fact + ")" : fact;
}

std::string cost_fact(const Analysis& analysis) {
  const Overhead& overhead = run_of(analysis).overhead;
  const auto cost = static_cast<double>(overhead.probe_ns + overhead.collector_cpu_ns);
  if (!(cost > 0)) return {};
  const double target = analysis.utilisation.cpu_by_accounting_ns;
  if (!(target > 0))
    return "profiler cost " + weight_text(static_cast<std::int64_t>(cost), "nanoseconds");
  return "profiler cost " + percent_of(cost, target, 1);
}

}  // namespace

void print_warnings(Page& page, const Analysis& analysis) {
  print_idle(page, analysis);
  print_launchers(page, analysis.utilisation.launchers);
  print_not_counted(page, analysis);
  // Without a sample, nothing but a loss needs more words than the first line has.
  if (analysis.trust.trusted || (analysis.samples == 0 && analysis.lost == 0)) return;
  for (const std::string& reason : analysis.trust.reasons) {
    page.paragraph("Low trust: ", reason, Emphasis::warning);
  }
}

void print_verdict(Page& page, const Analysis& analysis) {
  constexpr double kStarved = 0.20;  // waiting for a CPU, of the time it could have run
  const Utilisation& use = analysis.utilisation;
  const std::string thread = thread_name(use.busiest_thread);
  const std::string thread_cores = cores(use.busiest_thread_cores) + " of one core";
  if (use.verdict == Verdict::cpu_bound) {
    page.paragraph(
        "CPU-bound: ",
        use.busiest_thread_cores >= 0.95
            ? thread + " used " + thread_cores + "."
            : fmt::format("used {} of {} cores.", cores(use.cores), run_of(analysis).cpus_online),
        Emphasis::strong);
  } else if (use.verdict == Verdict::busy && use.wait_share >= kStarved) {
    page.paragraph("Short of CPU: ",
                   fmt::format("{} used {}; the target waited for a CPU {} of the time it could "
                               "have run.",
                               thread, thread_cores, percent_of(use.wait_share, 1.0, 0)),
                   Emphasis::warning);
  } else if (use.verdict == Verdict::busy) {
    page.paragraph("Not CPU-bound: ", thread + ", the busiest, used " + thread_cores + ".",
                   Emphasis::strong);
  }
}

void print_quality(Page& page, const Analysis& analysis) {
  const Utilisation& use = analysis.utilisation;
  const std::uint32_t online = run_of(analysis).cpus_online;
  std::vector<std::string> facts;
  if (use.verdict != Verdict::unknown) {
    facts.push_back("CPU " + cores(use.cores) +
                    (online > 0 ? fmt::format(" of {} cores", online) : std::string(" cores")));
  }
  if (use.split_known && analysis.samples > 0) {
    const int decimals = decimals_for_samples(analysis.samples);
    const std::int64_t user = share_units(use.user_share, decimals);
    const std::int64_t whole = decimals == 0 ? 100 : 1000;
    facts.push_back("user " + percent(user, decimals));
    facts.push_back("kernel " + percent(whole - user, decimals));
  }
  if (use.verdict != Verdict::unknown && use.cores > 0) {
    facts.push_back("waited for a CPU " + percent_of(use.wait_share, 1.0, 1));
  }
  if (analysis.samples > 0) {
    facts.push_back(stacks_fact(analysis.stacks));
    facts.push_back("names " + percent_of(analysis.samples - analysis.stacks.unsymbolised_leaf,
                                          analysis.samples));
  }
  facts.push_back(cost_fact(analysis));
  page.facts(facts, "  ");
}

}  // namespace perfgap
