// The subcommands: each adds itself to the command line and hands back what runs when it was
// chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace perfgap {

// Exit codes, as the man page lists them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
// Done, but too few samples, too many lost or too many incomplete stacks.
inline constexpr int kExitUntrusted = 3;

// Runs the chosen command; returns the exit code.
using Command = std::function<int()>;

Command add_record_command(CLI::App& app);   // `profile --pid PID`: options of the program itself
Command add_report_command(CLI::App& app);   // `profile report FILE`
Command add_explain_command(CLI::App& app);  // `profile explain FILE SYMBOL`

}  // namespace perfgap
