// Until when the program's timers may fire. While one may, a process in which every thread waits is no hang.
//
// Only the latest time is recorded, and never an earlier one again: a timer that is canceled still counts. So gate may
// call a hang a slow program, and never the other way round.

#include "timers.h"

#include <time.h>

#include "real.h"
#include "record.h"

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// A time of dispatch, in nanoseconds of CLOCK_MONOTONIC. Its two highest bits name the clock: 0 is the time awake, 2
// the time since the start of the system, 3 the wall clock, of which dispatch stores the negative.
static uint64_t moment_of(uint64_t when) {
  uint64_t here = now(CLOCK_MONOTONIC);
  if (when == 0) return here;
  if (when >> 63 == 0) return when;
  bool is_wall = (when >> 62 & 1) != 0;
  uint64_t there = now(is_wall ? CLOCK_REALTIME : CLOCK_BOOTTIME);
  uint64_t due = is_wall ? 0 - when : when & ~(1ull << 63);
  // The wall clock's own word for now is -2.
  return due > there && !(is_wall && due <= 2) ? here + (due - there) : here;
}

static void may_fire_until(uint64_t moment) {
  if (!record_is_on()) return;
  uint64_t known = __atomic_load_n(&record->timers_until, __ATOMIC_RELAXED);
  while (known < moment &&
         !__atomic_compare_exchange_n(
             &record->timers_until, &known, moment, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

static uint64_t sum(uint64_t one, uint64_t other) { return one + other < one ? UINT64_MAX : one + other; }

void timer_after(uint64_t when) {
  if (when == FOREVER) return;
  uint64_t due = moment_of(when), here = now(CLOCK_MONOTONIC);
  // Dispatch may be late by a tenth of the delay, and by a minute at most. A tenth of a second is for the thread.
  uint64_t late = due > here ? (due - here) / 10 : 0;
  if (late > 60000000000u) late = 60000000000u;
  may_fire_until(sum(due, late + 100000000u));
}

EXPORTED void dispatch_source_set_timer(object source, uint64_t start, uint64_t interval, uint64_t leeway) {
  if (!CALLED_BY_DISPATCH && start != FOREVER)
    may_fire_until(interval == FOREVER ? sum(sum(moment_of(start), leeway), 100000000u) : UINT64_MAX);
  real()->dispatch_source_set_timer(source, start, interval, leeway);
}
