// Ends long before the profiler's window does: its names must have been captured while it lived.
// usage: exit_midway [CPU seconds] [seconds to wait before]
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spin.h"

__attribute__((noinline)) void brief_inner(void) {
  KEEP_FRAME();
  SPIN(100000);
}

__attribute__((noinline)) void brief_outer(double end) {
  KEEP_FRAME();
  while (cpu_seconds() < end) brief_inner();
}

int main(int argc, char** argv) {
  printf("pid=%d\n", getpid());
  fflush(stdout);
  if (argc > 2) usleep((useconds_t)(1e6 * atof(argv[2])));
  brief_outer(argc > 1 ? atof(argv[1]) : 2);
  return 3;
}
