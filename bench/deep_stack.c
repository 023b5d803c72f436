/* A fixed amount of work under a stack of known depth, for measuring what sampling adds: prints the
 * CPU nanoseconds it took. Usage: deep_stack DEPTH ROUNDS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void work(unsigned long rounds) {
  for (unsigned long i = 0; i < rounds; i++) sink += i;
}

__attribute__((noinline)) static void descend(int depth, unsigned long rounds) {
  if (depth > 0)
    descend(depth - 1, rounds);
  else
    work(rounds);
  sink++; /* keeps the call from becoming a jump */
}

int main(int argc, char** argv) {
  int depth = argc > 1 ? atoi(argv[1]) : 11;
  unsigned long rounds = argc > 2 ? strtoul(argv[2], 0, 10) : 1000000000UL;
  struct timespec used;
  printf("ready\n");
  fflush(stdout);
  getchar(); /* the profiler attaches meanwhile */
  descend(depth, rounds);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  printf("%lld\n", used.tv_sec * 1000000000LL + used.tv_nsec);
  return 0;
}
