// One pid, two programs: works in phase_one() for half the time, then execs itself and works in
// phase_two(). The load address changes at the exec, so that mappings from before it name the wrong
// code afterwards. usage: exec_midway [CPU seconds] [seconds to wait before]
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spin.h"

__attribute__((noinline)) void phase_one(double end) {
  KEEP_FRAME();
  while (cpu_seconds() < end) SPIN(100000);
}

__attribute__((noinline)) void phase_two(double end) {
  KEEP_FRAME();
  while (cpu_seconds() < end) SPIN(100000);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 6;
  if (argc > 3) {
    phase_two(seconds);
    return 0;
  }
  printf("pid=%d\n", getpid());
  fflush(stdout);
  if (argc > 2) usleep((useconds_t)(1e6 * atof(argv[2])));
  phase_one(seconds / 2);
  char text[32];
  snprintf(text, sizeof text, "%f", seconds);
  char* arguments[] = {"renamed after exec", text, "0", "two", NULL};
  execv("/proc/self/exe", arguments);
  return 1;
}
