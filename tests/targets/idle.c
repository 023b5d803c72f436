// A process that is never on a CPU: no samples is the right answer, and has to be said as such.
// usage: idle [seconds]
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  printf("pid=%d\n", getpid());
  fflush(stdout);
  sleep(argc > 1 ? atoi(argv[1]) : 6);
  return 0;
}
