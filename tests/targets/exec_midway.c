// One pid, two programs: works in phase_one() for half the time, then execs itself and works in
// phase_two(). The load address changes at the exec, so that mappings from before it name the wrong
// code afterwards. usage: exec_midway [seconds]
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spin.h"

__attribute__((noinline)) void phase_one(double end) {
  KEEP_FRAME();
  while (now_seconds() < end) SPIN(100000);
}

__attribute__((noinline)) void phase_two(double end) {
  KEEP_FRAME();
  while (now_seconds() < end) SPIN(100000);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 6;
  const double end = now_seconds() + seconds / 2;
  if (argc > 2) {
    phase_two(end);
    return 0;
  }
  printf("pid=%d\n", getpid());
  fflush(stdout);
  phase_one(end);
  char text[32];
  snprintf(text, sizeof text, "%f", seconds);
  char* arguments[] = {"renamed after exec", text, "two", NULL};
  execv("/proc/self/exe", arguments);
  return 1;
}
