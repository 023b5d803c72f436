// Maps code after the profiler has attached: a second after the start it copies late_plugin.so to a
// private file, loads the copy, deletes the file, and works in it. Half of the time is spent in the
// program, half in the library. usage: late_library PATH_OF_LATE_PLUGIN [seconds]
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "spin.h"

__attribute__((noinline)) void own_work(void) {
  KEEP_FRAME();
  SPIN(100000);
}

static void* load_private_copy(const char* path) {
  char copy[] = "/tmp/late_plugin_XXXXXX.so";
  const int from = open(path, O_RDONLY);
  const int to = mkstemps(copy, 3);
  if (from < 0 || to < 0) return NULL;
  while (sendfile(to, from, NULL, 1 << 20) > 0) {
  }
  close(from);
  close(to);
  void* library = dlopen(copy, RTLD_NOW);
  unlink(copy);
  return library;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const double end = now_seconds() + (argc > 2 ? atof(argv[2]) : 6);
  printf("pid=%d\n", getpid());
  fflush(stdout);
  sleep(1);
  void* library = load_private_copy(argv[1]);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  void (*plugin_work)(void) = (void (*)(void))dlsym(library, "plugin_work");
  if (!plugin_work) return 1;
  while (now_seconds() < end) {
    own_work();
    plugin_work();
  }
  return 0;
}
