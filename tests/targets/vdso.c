// Spends nearly all its time in the vDSO. usage: vdso [seconds]
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile long calls;

__attribute__((noinline)) void clock_reader(int seconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
    calls++;
  } while (now.tv_sec - begin.tv_sec < seconds);
}

int main(int argc, char** argv) {
  printf("pid=%d\n", getpid());
  fflush(stdout);
  clock_reader(argc > 1 ? atoi(argv[1]) : 6);
  calls++;
  return 0;
}
