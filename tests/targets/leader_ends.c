// Its first thread ends at once; a second one does all the work, so that /proc/PID/exe and maps are
// empty. usage: leader_ends [CPU seconds]
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spin.h"

static double seconds = 2;

__attribute__((noinline)) void survivor_work(void) {
  KEEP_FRAME();
  SPIN(2000000);  // milliseconds: reading the clock between two rounds takes no part that is seen
}

void* survivor(void* unused) {
  (void)unused;
  KEEP_FRAME();
  while (cpu_seconds() < seconds) survivor_work();
  exit(0);
}

int main(int argc, char** argv) {
  pthread_t thread;
  if (argc > 1) seconds = atof(argv[1]);
  if (pthread_create(&thread, NULL, survivor, NULL) != 0) return 1;
  printf("pid=%d\n", getpid());
  fflush(stdout);
  pthread_exit(NULL);
}
