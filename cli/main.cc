// The `profile` program: parse the command line, run the chosen command, return its exit code.
#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/rendering.h"

namespace {

// The page that --help or --version asks for.
int print_requested(const CLI::App& app, const CLI::Success& request) {
  std::ostringstream page;
  const int code = app.exit(request, page, page);
  const auto printed = perfgap::print_page(page.view());
  if (printed) return code;
  perfgap::print_error(printed.error());
  return perfgap::kExitFailed;
}

// A standard stream that came closed stays so: the next file opened must not take its number.
void reserve_standard_descriptors() {
  for (const int fd : {0, 1, 2})
    if (fcntl(fd, F_GETFD) < 0) static_cast<void>(open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace perfgap;
  reserve_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of the write
  CLI::App app("Where each microsecond of a running server's CPU time goes.", "profile");
  app.set_version_flag("--version", "profile " PERFGAP_VERSION);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(32);

  const Command record = add_record_command(app);
  const std::vector<std::pair<CLI::App*, Command>> subcommands = [&app] {
    std::vector<std::pair<CLI::App*, Command>> commands;
    for (const auto add : {add_report_command, add_explain_command}) {
      Command command = add(app);
      commands.emplace_back(app.get_subcommands({}).back(), std::move(command));
    }
    return commands;
  }();

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return print_requested(app, request);
  } catch (const CLI::ParseError& error) {
    print_error({one_line(error.what()) + "; see profile --help", ErrorKind::usage});
    return kExitUsage;
  }
  for (const auto& [subcommand, command] : subcommands)
    if (subcommand->parsed()) return command();
  return record();
}
