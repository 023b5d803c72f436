// A small JIT with a map file of its own, /tmp/perf-PID.map. Every `step` seconds it writes a new
// function over the old one, at the same address, and appends a line for it. So the map grows while
// it is read, one address has several names over time, and each line is torn (half of it, no
// newline) for 20 ms. The last argument is the spelling of the lines:
//   plain, 0x, upper (padded capitals), space (names with blanks), semi (names with ';'),
//   hostile (names with control characters, broken UTF-8, a trailing number; several functions,
//   called in turn)
// usage: perfmap_jit [seconds] [format] [step]
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spin.h"

// push rbp; mov rbp, rsp; mov rcx, rdi; 1: dec rcx; jnz 1b; pop rbp; ret
static const unsigned char kBody[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf9,
                                      0x48, 0xff, 0xc9, 0x75, 0xfb, 0x5d, 0xc3};
static const char* kHostile[] = {"semi;colon;;x 12",
                                 "bell\a tab\t return\r end",
                                 "esc\033[31mred\033[0m",
                                 "broken \xff\xfe\xc3 utf8 \xe2\x82",
                                 "digits 4711",
                                 "  padded  ",
                                 "quote\"back\\slash<b>&amp;",
                                 "\xe2\x80\xae"
                                 "reversed"};
enum { kHostileCount = sizeof kHostile / sizeof kHostile[0], kSlotBytes = 64 };

typedef void (*JitFunction)(long);
volatile int calls;

__attribute__((noinline)) void call_jit(JitFunction function, long rounds) {
  KEEP_FRAME();
  function(rounds);
  calls++;
}

static int format_line(char* line, size_t room, const char* format, uintptr_t at, int generation) {
  const unsigned long address = at;
  const unsigned size = sizeof kBody;
  if (!strcmp(format, "0x"))
    return snprintf(line, room, "0x%lx 0x%x jit_gen%d\n", address, size, generation);
  if (!strcmp(format, "upper"))
    return snprintf(line, room, "%016lX %X jit_gen%d\n", address, size, generation);
  if (!strcmp(format, "space"))
    return snprintf(line, room, "%lx %x void jit_gen%d(int, long) app.js:1:2\n", address, size,
                    generation);
  if (!strcmp(format, "semi"))
    return snprintf(line, room, "%lx %x Lorg/demo/Gen%d;::run\n", address, size, generation);
  return snprintf(line, room, "%lx %x jit_gen%d\n", address, size, generation);
}

static int write_torn(int map, const char* line, int length) {
  if (write(map, line, length / 2) < 0) return -1;
  usleep(20000);
  return write(map, line + length / 2, length - length / 2) < 0 ? -1 : 0;
}

static void run_hostile(int map, unsigned char* code, double end) {
  char line[256];
  for (int i = 0; i < kHostileCount; i++) {
    memcpy(code + i * kSlotBytes, kBody, sizeof kBody);
    const int length =
        snprintf(line, sizeof line, "%lx %x %s\n", (unsigned long)(code + i * kSlotBytes),
                 (unsigned)sizeof kBody, kHostile[i]);
    if (write(map, line, length) < 0) return;
  }
  for (int i = 0; now_seconds() < end; i = (i + 1) % kHostileCount)
    call_jit((JitFunction)(code + i * kSlotBytes), 300000);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 6;
  const char* format = argc > 2 ? argv[2] : "plain";
  const double step = argc > 3 ? atof(argv[3]) : 1;
  char path[64], line[256];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  const int map = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0644);
  unsigned char* code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map < 0 || code == MAP_FAILED) return 1;
  printf("pid=%d map=%s\n", getpid(), path);
  fflush(stdout);
  const double end = now_seconds() + seconds;
  if (!strcmp(format, "hostile")) run_hostile(map, code, end);
  for (int generation = 0; now_seconds() < end; generation++) {
    memcpy(code, kBody, sizeof kBody);
    const int length = format_line(line, sizeof line, format, (uintptr_t)code, generation);
    if (write_torn(map, line, length) < 0) return 1;
    for (const double stop = now_seconds() + step - 0.02; now_seconds() < stop;)
      call_jit((JitFunction)code, 300000);
  }
  return 0;  // the map file stays, as real runtimes leave it
}
