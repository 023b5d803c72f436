// What goes to stderr: errors, diagnostics, and the progress line of a terminal.
#pragma once

#include <string>
#include <string_view>

#include "collector/collect.h"
#include "model/error.h"

namespace perfgap {

// As it is. What stderr does not take is dropped: there is nowhere left to say so.
void print_to_stderr(const std::string& text);
// "profile: MESSAGE", control characters made harmless.
void print_error(const Error& error);
void print_diagnostic(std::string_view message);
// Exit code of an error.
int exit_code_of(const Error& error);

// The text with line breaks and other control characters replaced by blanks.
std::string one_line(std::string_view text);

// Writes over itself while the run goes on; nothing where stderr is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  void show(const Progress& progress);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
};

// Width of stdout's terminal, 80 where it is none.
int stdout_width();
// True on a terminal, unless NO_COLOR is set or TERM is dumb.
bool stdout_colour();

}  // namespace perfgap
