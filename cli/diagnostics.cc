#include "cli/diagnostics.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <locale>

#include "cli/command.h"

namespace perfgap {

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

void print_to_stderr(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void print_diagnostic(std::string_view message) {
  print_to_stderr(fmt::format("profile: {}\n", one_line(message)));
}

void print_error(const Error& error) {
  print_diagnostic(error.message);
}

int exit_code_of(const Error& error) {
  return error.kind == ErrorKind::usage ? kExitUsage : kExitFailed;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const Progress& progress) {
  if (!terminal_) return;
  const auto seconds = [](std::chrono::milliseconds time) {
    return static_cast<double>(time.count()) / 1000.0;
  };
  print_to_stderr(fmt::format("\r\033[K {:.1f} of {:.1f} s  {} samples  {} lost",
                              seconds(std::min(progress.elapsed, progress.duration)),
                              seconds(progress.duration), progress.samples, progress.lost));
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) print_to_stderr("\r\033[K");
  shown_ = false;
}

int stdout_width() {
  constexpr int kDefaultColumns = 80;
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    return kDefaultColumns;
  return std::max<int>(size.ws_col, kDefaultColumns);
}

bool stdout_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

}  // namespace perfgap
