// The subcommands: each adds itself to the command line and hands back what runs when it was
// chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace perfgap {

// What design.md calls exit codes.
enum ExitCode : int {
  kExitDone = 0,
  kExitFailed = 1,
  kExitUsage = 2,
  kExitUntrusted = 3,  // done, but too few samples, too many lost or too many incomplete stacks
};

// Runs the chosen command; returns the exit code.
using Command = std::function<int()>;

Command add_record_command(CLI::App& app);   // `profile --pid PID`: options of the program itself
Command add_report_command(CLI::App& app);   // `profile report FILE`
Command add_explain_command(CLI::App& app);  // `profile explain FILE SYMBOL`

}  // namespace perfgap
