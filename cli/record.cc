// `profile --pid PID`: sample a live target, print the summary, write the output folder.
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/files.h"
#include "cli/rendering.h"
#include "cli/values.h"
#include "collector/collect.h"
#include "model/pprof.h"
#include "reports/json.h"
#include "symbolizer/symbolize.h"

namespace perfgap {
namespace {

struct RecordOptions {
  std::vector<std::string> pids;
  bool no_children = false;
  std::string duration = "10";
  std::string rate = "499";
  std::string event = "cycles";
  std::string output;
  std::vector<std::string> rules;
  bool json = false;
  std::string by;
  bool folded_suffixes = false;
};

std::atomic<bool> interrupted{false};

extern "C" void on_interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);  // a second one ends the program
}

Result<CollectOptions> collect_options(const RecordOptions& options) {
  if (options.pids.empty())
    return usage_error("no target: name a process with --pid PID; see profile --help");
  CollectOptions collect;
  for (const std::string& text : options.pids) {
    const auto pid = parse_pid(text);
    if (!pid) return std::unexpected(pid.error());
    collect.pids.push_back(*pid);
  }
  const auto duration = parse_duration(options.duration);
  if (!duration) return std::unexpected(duration.error());
  const auto rate_hz = parse_rate_hz(options.rate);
  if (!rate_hz) return std::unexpected(rate_hz.error());
  collect.children = !options.no_children;
  collect.duration = *duration;
  collect.rate_hz = *rate_hz;
  collect.event = options.event;
  return collect;
}

Result<void> write_folder(const RecordOptions& options, const Analysis& analysis,
                          const FoldedOptions& folded) {
  const std::string& folder = options.output;
  if (folder.empty()) return {};
  for (const auto& [name, bytes] : {
           std::pair{"profile.pb.gz", write_pprof(*analysis.profile)},
           std::pair{"stacks.folded",
                     folded_stacks(*analysis.profile, analysis.value_index, folded)},
           std::pair{"report.json", json_report(analysis)},
       })
    if (auto written = write_file(fmt::format("{}/{}", folder, name), bytes); !written)
      return written;
  print_to_stderr(
      fmt::format("{}/: profile.pb.gz  stacks.folded  report.json\n", one_line(folder)));
  return {};
}

Result<Capture> collect_with_progress(const CollectOptions& options) {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  // A lost terminal ends the window as well, unless nohup(1) said otherwise.
  if (std::signal(SIGHUP, on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  ProgressLine line;
  return collect(options, {.progress = [&line](const Progress& progress) { line.show(progress); },
                           .diagnostic =
                               [&line](const std::string& message) {
                                 line.clear();
                                 print_diagnostic(message);
                               },
                           .stop = &interrupted});
}

Result<int> record(const RecordOptions& options) {
  const auto collecting = collect_options(options);
  if (!collecting) return std::unexpected(collecting.error());
  // Whatever could fail later for a reason known now fails before the run, not after it.
  const auto rules = load_rules(options.rules);
  if (!rules) return std::unexpected(rules.error());
  if (!options.output.empty())
    if (auto ready = prepare_folder(options.output); !ready) return std::unexpected(ready.error());

  auto capture = collect_with_progress(*collecting);
  if (!capture) return std::unexpected(capture.error());
  capture->run.tool_version = PERFGAP_VERSION;
  capture->run.rule_hash = rules->hash();
  const Profile profile = symbolize(*capture);
  const Analysis analysis = analyze(profile, *rules);

  const FoldedOptions folded{.by_thread = options.by == "thread",
                             .suffixes = options.folded_suffixes};
  const std::string page =
      render(analysis, options.json ? ReportFormat::json : ReportFormat::text, folded);
  // What was measured is saved even where the page cannot be shown.
  const auto printed = print_page(page);
  if (auto written = write_folder(options, analysis, folded); !written)
    return std::unexpected(written.error());
  if (!printed) return std::unexpected(printed.error());
  return exit_code_of(analysis);
}

}  // namespace

Command add_record_command(CLI::App& app) {
  const auto options = std::make_shared<RecordOptions>();
  app.add_option("--pid", options->pids, "Process to sample; repeat for more")
      ->type_name("PID")
      ->expected(1)
      ->take_all();
  app.add_flag("--no-children", options->no_children,
               "Only the named processes, not their descendants");
  app.add_option("--duration", options->duration, "How long: 10, 500ms, 2m")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("-F,--frequency", options->rate, "Samples per second of CPU time")
      ->type_name("HZ")
      ->capture_default_str();
  app.add_option("-e,--event", options->event,
                 "Event to sample by, as libpfm4 names it; cycles falls back to cpu-clock")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("-o,--output", options->output,
                 "Folder for profile.pb.gz, stacks.folded and report.json")
      ->type_name("DIR")
      ->check([](const std::string& name) {
        return name.empty() ? std::string("'': needs the name of a folder") : std::string();
      });
  app.add_option("--rules", options->rules, "Category rules that come before the built-in ones")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app.add_flag("--json", options->json, "Print the report as JSON");
  app.add_option("--by", options->by, "Folded stacks by thread")
      ->type_name("thread")
      ->check(CLI::IsMember({"thread"}));
  app.add_flag("--folded-suffixes", options->folded_suffixes,
               "Folded frames end in _[k], _[i] or _[j] for kernel, inlined, JIT");
  return [options] {
    const auto code = record(*options);
    if (code) return *code;
    print_error(code.error());
    return exit_code_of(code.error());
  };
}

}  // namespace perfgap
