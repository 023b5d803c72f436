// Shared by the targets: the clock, frame records in leaf functions, and work of known length
// (x86-64).
#pragma once

#include <time.h>

// gcc 12 drops the frame of a leaf even under -fno-omit-frame-pointer; taking its address keeps it.
#define KEEP_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))

// `rounds` times a chain of multiplications. Each waits for the one before, so that the time does
// not depend on where the code lies; registers and alignment are fixed, so that every copy is the
// same code.
#define SPIN(rounds)                            \
  do {                                          \
    unsigned long left_ = (rounds), value_ = 1; \
    __asm__ volatile(                           \
        ".p2align 6\n"                          \
        "1: imul $3, %1, %1\n"                  \
        "imul $5, %1, %1\n"                     \
        "imul $7, %1, %1\n"                     \
        "imul $9, %1, %1\n"                     \
        "dec %0\n"                              \
        "jnz 1b\n"                              \
        : "+c"(left_), "+a"(value_)             \
        :                                       \
        : "cc");                                \
  } while (0)

static inline double seconds_on(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline double now_seconds(void) {
  return seconds_on(CLOCK_MONOTONIC);
}

// CPU time of this process: the same amount of work however busy the machine is.
static inline double cpu_seconds(void) {
  return seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}
