// `profile report FILE`: render a saved profile again, on any machine.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/files.h"
#include "cli/rendering.h"

namespace perfgap {
namespace {

struct ReportOptions {
  std::string file;
  ReportFormat format = ReportFormat::text;
  std::vector<std::string> rules;
  std::string by;
  bool folded_suffixes = false;
  bool json = false;
};

Result<int> report(const ReportOptions& options) {
  const auto rules = load_rules(options.rules);
  if (!rules) return std::unexpected(rules.error());
  const auto read = load_profile(options.file);
  if (!read) return std::unexpected(read.error());
  if (!read->warning.empty()) print_diagnostic(read->warning);

  const Analysis analysis = analyze(read->profile, *rules);
  const std::string page =
      render(analysis, options.json ? ReportFormat::json : options.format,
             {.by_thread = options.by == "thread", .suffixes = options.folded_suffixes});
  if (auto printed = print_page(page); !printed) return std::unexpected(printed.error());
  return read->warning.empty() ? exit_code_of(analysis) : kExitUntrusted;
}

}  // namespace

Command add_report_command(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Render a saved profile again");
  command->add_option("FILE", options->file, "profile.pb.gz, its folder, or - for stdin")
      ->required();
  command->add_option("--format", options->format, "text, json or folded")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, ReportFormat>{{"text", ReportFormat::text},
                                              {"json", ReportFormat::json},
                                              {"folded", ReportFormat::folded}}));
  command->add_flag("--json", options->json, "The same as --format json");
  command
      ->add_option("--rules", options->rules, "Category rules that come before the built-in ones")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  command->add_option("--by", options->by, "Folded stacks by thread")
      ->type_name("thread")
      ->check(CLI::IsMember({"thread"}));
  command->add_flag("--folded-suffixes", options->folded_suffixes,
                    "Folded frames end in _[k], _[i] or _[j] for kernel, inlined, JIT");
  return [options] {
    const auto code = report(*options);
    if (code) return *code;
    print_error(code.error());
    return exit_code_of(code.error());
  };
}

}  // namespace perfgap
