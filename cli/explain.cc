// `profile explain FILE SYMBOL`: which category claimed a function's samples, by which rule and
// step.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "analyzers/categories.h"
#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/files.h"
#include "cli/rendering.h"
#include "reports/explanation.h"

namespace perfgap {
namespace {

struct ExplainOptions {
  std::string file;
  std::string symbol;
  std::vector<std::string> rules;
  bool json = false;
};

Result<int> explain_symbol(const ExplainOptions& options) {
  if (options.symbol.empty())
    return usage_error("SYMBOL '': every name holds it; give a function's name or a part of one");
  const auto rules = load_rules(options.rules);
  if (!rules) return std::unexpected(rules.error());
  const auto read = load_profile(options.file);
  if (!read) return std::unexpected(read.error());
  if (!read->warning.empty()) print_diagnostic(read->warning);

  const CategoryMarks marks = mark(read->profile, *rules);
  const auto explanations = explain(read->profile, marks, options.symbol);
  if (explanations.empty())
    return fail(fmt::format("'{}': no function of {} has it in its name; profile report lists them",
                            options.symbol, options.file));
  const std::string page = options.json ? explanations_json(explanations, *rules)
                                        : explanations_text(explanations, *rules);
  if (auto printed = print_page(page); !printed) return std::unexpected(printed.error());
  return read->warning.empty() ? kExitDone : kExitUntrusted;
}

}  // namespace

Command add_explain_command(CLI::App& app) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand("explain", "Which category claimed a function, and why");
  command->add_option("FILE", options->file, "profile.pb.gz, its folder, or - for stdin")
      ->required();
  command->add_option("SYMBOL", options->symbol, "A function's name, or a part of it")->required();
  command
      ->add_option("--rules", options->rules, "Category rules that come before the built-in ones")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  command->add_flag("--json", options->json, "Print as JSON");
  return [options] {
    const auto code = explain_symbol(*options);
    if (code) return *code;
    print_error(code.error());
    return exit_code_of(code.error());
  };
}

}  // namespace perfgap
