// A server whose CPU shares are known by construction. It serves an endless queue of requests of
// four kinds:
//   handle_a 50 %, handle_b 30 %, handle_c 15 %, handle_d 5 %
// All four run the same code for the same number of rounds (about 20 us), so a kind's share is the
// number of its requests. Requests come in batches of 20 with exactly 10, 6, 3 and 1 of each kind,
// shuffled anew every time: the shares hold in every stretch of a few milliseconds, and no sampling
// rate can fall into step with them.
//
// usage: known_shares [--seed N] [--seconds S] [--threads N] [--workers N] [--late thread|child]
//   --threads N   N threads serve           --workers N   N forked children serve, the parent waits
//   for them
//   --late WHAT   serving moves to a new thread or child a second after the start; until then
//   nothing runs
#define _GNU_SOURCE
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

enum { kRounds = 5000, kBatch = 20, kMaxThreads = 64 };

#define HIDDEN __attribute__((noinline, aligned(64), visibility("hidden")))
#define EXPORTED __attribute__((noinline, used, visibility("default")))

// Never called. They stay in .dynsym after strip(1), on both sides of the handlers, whose own names
// go: to name a handler after one of them would be a lie.
EXPORTED void exported_before(void) {
  SPIN(1);
}

HIDDEN void handle_a(void) {
  KEEP_FRAME();
  SPIN(kRounds);
}

HIDDEN void handle_b(void) {
  KEEP_FRAME();
  SPIN(kRounds);
}

HIDDEN void handle_c(void) {
  KEEP_FRAME();
  SPIN(kRounds);
}

HIDDEN void handle_d(void) {
  KEEP_FRAME();
  SPIN(kRounds);
}

EXPORTED void exported_after(void) {
  SPIN(1);
}

typedef void (*Handler)(void);

static const Handler kQueue[kBatch] = {handle_a, handle_a, handle_a, handle_a, handle_a,
                                       handle_a, handle_a, handle_a, handle_a, handle_a,
                                       handle_b, handle_b, handle_b, handle_b, handle_b,
                                       handle_b, handle_c, handle_c, handle_c, handle_d};

static uint64_t next_random(uint64_t* state) {  // xorshift64*
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 2685821657736338717ULL;
}

static double deadline;
static uint64_t seed = 1;

__attribute__((noinline)) void serve(uint64_t lane) {
  uint64_t state = seed * 0x9e3779b97f4a7c15ULL + lane + 1;
  Handler batch[kBatch];
  memcpy(batch, kQueue, sizeof batch);
  while (now_seconds() < deadline) {
    for (int i = kBatch - 1; i > 0; i--) {
      const int j = (int)((next_random(&state) >> 33) % (uint64_t)(i + 1));
      const Handler kept = batch[i];
      batch[i] = batch[j];
      batch[j] = kept;
    }
    for (int i = 0; i < kBatch; i++) batch[i]();
  }
}

static void* serve_thread(void* lane) {
  char name[16];
  snprintf(name, sizeof name, "lane %d", (int)(intptr_t)lane);
  pthread_setname_np(pthread_self(), name);
  serve((uint64_t)(intptr_t)lane);
  return NULL;
}

static void serve_threads(int count) {
  pthread_t threads[kMaxThreads];
  for (intptr_t i = 0; i < count; i++) pthread_create(&threads[i], NULL, serve_thread, (void*)i);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static void serve_children(int count) {
  for (int i = 0; i < count; i++) {
    const pid_t parent = getpid();
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      serve((uint64_t)i);
      _exit(0);
    }
  }
  while (wait(NULL) > 0) {
  }
}

int main(int argc, char** argv) {
  static const struct option kOptions[] = {
      {"seed", required_argument, NULL, 's'},    {"seconds", required_argument, NULL, 't'},
      {"threads", required_argument, NULL, 'n'}, {"workers", required_argument, NULL, 'w'},
      {"late", required_argument, NULL, 'l'},    {NULL, 0, NULL, 0}};
  double seconds = 60;
  int threads = 0, workers = 0;
  const char* late = "";
  for (int option; (option = getopt_long(argc, argv, "", kOptions, NULL)) != -1;) {
    if (option == 's')
      seed = strtoull(optarg, NULL, 10);
    else if (option == 't')
      seconds = atof(optarg);
    else if (option == 'n')
      threads = atoi(optarg);
    else if (option == 'w')
      workers = atoi(optarg);
    else if (option == 'l')
      late = optarg;
    else
      return 2;
  }
  if (threads > kMaxThreads) return 2;
  printf("pid=%d\n", getpid());
  fflush(stdout);
  deadline = now_seconds() + seconds;
  if (*late) sleep(1);
  if (!strcmp(late, "thread")) threads = 1;
  if (!strcmp(late, "child")) workers = 1;
  if (threads > 0)
    serve_threads(threads);
  else if (workers > 0)
    serve_children(workers);
  else
    serve(0);
  return 0;
}
