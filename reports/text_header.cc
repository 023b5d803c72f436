// What ran, on what, and how it was sampled: the facts a reader needs before any figure.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reports/figures.h"
#include "reports/text_sections.h"

namespace perfgap {
namespace {

constexpr std::size_t kMaxCommands = 4;   // of several requested processes
constexpr std::size_t kMaxLifetimes = 6;  // a prefork server must not fill the screen

std::string command_of(const ProcessRun& process) {
  if (!process.command.empty()) return process.command;
  return process.comm.empty() ? "?" : "[" + process.comm + "]";
}

std::size_t count_threads(const RunInfo& run) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> threads;
  for (const ThreadRun& thread : run.threads) threads.emplace(thread.pid, thread.tid);
  return threads.size();
}

// The command in full if it fits, else cut so that what follows it stays readable.
void print_command(Page& page, const std::string& command, const std::string& facts) {
  const std::string one_line = command + "  " + facts;
  if (one_line.size() <= page.width()) {
    page.line(one_line, Emphasis::strong);
  } else {
    page.line(command, Emphasis::strong);
    page.facts(std::vector{facts}, "  ");
  }
}

void print_target(Page& page, const RunInfo& run) {
  std::vector<const ProcessRun*> requested;
  std::int64_t children = 0;
  for (const ProcessRun& process : run.processes) {
    if (process.requested) requested.push_back(&process);
    if (!process.requested && process.counted) ++children;
  }
  std::string sizes;
  if (children > 0) sizes += ", " + plural(children, "child process", "child processes");
  const auto threads = static_cast<std::int64_t>(count_threads(run));
  if (threads > 0) sizes += ", " + plural(threads, "thread", "threads");

  if (requested.size() == 1) {
    print_command(page, command_of(*requested[0]),
                  fmt::format("(pid {}{})", requested[0]->pid, sizes));
    return;
  }
  page.line(plural(static_cast<std::int64_t>(requested.size()), "process", "processes") + sizes,
            Emphasis::strong);
  for (std::size_t i = 0; i < std::min(requested.size(), kMaxCommands); ++i) {
    page.line(fmt::format("  {}  {}", requested[i]->pid, command_of(*requested[i])));
  }
  if (requested.size() > kMaxCommands) {
    page.line(fmt::format("  and {} more", requested.size() - kMaxCommands));
  }
}

std::string event_fact(const EventInfo& event) {
  if (event.name.empty()) return {};
  std::string fact = event.name;
  if (!event.requested.empty() && event.requested != event.name) {
    fact += ", not " + event.requested;
  }
  if (!event.reason.empty()) fact += " (" + event.reason + ")";
  return fact;
}

std::string rate_fact(const RunInfo& run, double delivered_hz) {
  if (run.rate_asked_hz == 0) return {};
  std::string fact = grouped(static_cast<std::int64_t>(run.rate_asked_hz)) + " Hz asked";
  if (run.rate_opened_hz != 0 && run.rate_opened_hz != run.rate_asked_hz) {
    fact += ", " + grouped(static_cast<std::int64_t>(run.rate_opened_hz)) + " allowed";
  }
  if (delivered_hz > 0) fact += fmt::format(", {:.0f} delivered", delivered_hz);
  return fact;
}

std::string cpus_fact(const RunInfo& run) {
  if (run.cpus_online == 0) return {};
  if (run.cpus_sampled == 0 || run.cpus_sampled == run.cpus_online) {
    return plural(run.cpus_online, "CPU", "CPUs");
  }
  return fmt::format("{} of {} CPUs sampled", run.cpus_sampled, run.cpus_online);
}

std::string machine_fact(const RunInfo& run) {
  std::string fact = run.host;
  for (const std::string& part :
       {run.kernel.empty() ? "" : "Linux " + run.kernel + " " + run.machine, cpus_fact(run)}) {
    if (!part.empty()) fact += (fact.empty() ? "" : ", ") + part;
  }
  return fact;
}

std::string lost_fact(const Analysis& analysis) {
  std::string fact = grouped(analysis.lost) + " lost";
  if (analysis.lost <= 0) return fact;
  fact += " (" + percent_of(analysis.lost, analysis.lost + analysis.samples);
  const char* separator = ": ";
  for (const auto& [cause, count] : run_of(analysis).losses) {
    if (count == 0) continue;
    fact += separator + cause + " " + grouped(static_cast<std::int64_t>(count));
    separator = ", ";
  }
  return fact + ")";
}

std::string time_fact(const RunInfo& run) {
  std::string fact = seconds(run.run_ms) + " of " + seconds(run.asked_ms) + " s";
  if (!run.end_reason.empty() && run.end_reason != "duration") fact += " (" + run.end_reason + ")";
  return fact;
}

std::string exit_fact(int status) {
  std::string fact = fmt::format("exit status {}", status);
  const char* name = status > 128 ? sigabbrev_np(status - 128) : nullptr;
  return name == nullptr ? fact : fact + " (SIG" + name + ")";
}

// What happened to a process during the run; empty if nothing did.
std::string lifetime_of(const ProcessRun& process) {
  std::string fact;
  if (!process.execs.empty()) {
    fact = "became '" + short_command(process.execs.back()) + "' by exec";
    if (process.execs.size() > 1) {
      fact += fmt::format(" (the last of {})", process.execs.size());
    }
  }
  if (!process.exited) return fact;
  if (!fact.empty()) fact += "; ";
  if (process.began_ms > 0) {
    fact +=
        fmt::format("ran from {} s to {} s", seconds(process.began_ms), seconds(process.ended_ms));
  } else {
    fact += "ended after " + seconds(process.ended_ms) + " s";
  }
  return fact + ", " + exit_fact(process.exit_status);
}

}  // namespace

void print_header(Page& page, const Analysis& analysis) {
  const RunInfo& run = run_of(analysis);
  const std::string samples = plural(analysis.samples, "sample", "samples");
  if (run.empty()) {
    page.line("a profile of another program: its file says nothing about the run",
              Emphasis::strong);
    page.facts(std::vector{samples});
    return;
  }
  print_target(page, run);
  page.facts(std::vector{event_fact(run.event), rate_fact(run, analysis.delivered_hz), run.backend,
                         run.unwinding.empty() ? "" : "stacks: " + run.unwinding,
                         machine_fact(run)});
  page.facts(std::vector{time_fact(run), samples, lost_fact(analysis)});
}

void print_lifetimes(Page& page, const Analysis& analysis) {
  const RunInfo& run = run_of(analysis);
  // The processes that were asked for come first: their end is what the reader must know.
  std::vector<const ProcessRun*> order;
  for (const bool requested : {true, false}) {
    for (const ProcessRun& process : run.processes) {
      if (process.requested == requested && !lifetime_of(process).empty())
        order.push_back(&process);
    }
  }
  const std::size_t shown = std::min(order.size(), kMaxLifetimes);
  for (std::size_t i = 0; i < shown; ++i) {
    page.paragraph(fmt::format("pid {} ", order[i]->pid), lifetime_of(*order[i]));
  }
  if (order.size() > shown) {
    page.line(fmt::format("and {} more processes ended or became another program",
                          grouped(static_cast<std::int64_t>(order.size() - shown))));
  }
}

}  // namespace perfgap
