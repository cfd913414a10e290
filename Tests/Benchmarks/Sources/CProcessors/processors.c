#define _GNU_SOURCE
#include "CProcessors.h"

#include <sched.h>

void stay_on_processor(int number) {
  cpu_set_t allowed, chosen;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int left = number % CPU_COUNT(&allowed);
  for (int place = 0; place < CPU_SETSIZE; place++) {
    if (!CPU_ISSET(place, &allowed) || left-- > 0) continue;
    CPU_ZERO(&chosen);
    CPU_SET(place, &chosen);
    sched_setaffinity(0, sizeof chosen, &chosen);
    return;
  }
}
