// The library that late_library loads while it is being profiled.
#include "spin.h"

__attribute__((noinline)) void plugin_work(void) {
  KEEP_FRAME();
  SPIN(100000);
}
