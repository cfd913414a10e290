// The times until which the program's timers may fire, and on which queues. Before that time, a process in which every
// thread waits is not a hang, unless the timer's queue is blocked as well.
//
// For a source, the time of its latest schedule is recorded until the source is canceled. For delayed blocks, the
// latest time is recorded for each queue. A timer without a row of its own counts for the whole process, and its time
// never decreases. So gate may report a hang as a slow program, but never the reverse.

#include "timers.h"

#include <time.h>

#include "real.h"
#include "record.h"
#include "things.h"

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
  // The wall clock encodes "now" as -2.
  return due > there && !(is_wall && due <= 2) ? here + (due - there) : here;
}

static void raise(uint64_t *until, uint64_t moment) {
  uint64_t known = __atomic_load_n(until, __ATOMIC_RELAXED);
  while (known < moment &&
         !__atomic_compare_exchange_n(until, &known, moment, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

// The row of a queue or of a source; null if it has none.
static gwr_queue *row_of(object queue) {
  const thing *found = thing_at(queue);
  return found != NULL && found->kind <= GWR_POOL ? found->queue : NULL;
}

static uint64_t sum(uint64_t one, uint64_t other) { return one + other < one ? UINT64_MAX : one + other; }

void timer_after(uint64_t when, object queue) {
  if (when == FOREVER || !record_is_on()) return;
  uint64_t due = moment_of(when), here = now(CLOCK_MONOTONIC);
  // Dispatch may be late by a tenth of the delay, at most by a minute. A further tenth of a second is for the thread.
  uint64_t late = due > here ? (due - here) / 10 : 0;
  if (late > 60000000000u) late = 60000000000u;
  gwr_queue *row = row_of(queue);
  raise(row == NULL ? &record->timers_until : &row->timers_until, sum(due, late + 100000000u));
}

// Records the schedule of a source, which replaces its previous one. A canceled source has none.
static void schedule(object source, uint64_t moment) {
  if (!record_is_on()) return;
  gwr_queue *row = row_of(source);
  if (row != NULL) __atomic_store_n(&row->timers_until, moment, __ATOMIC_RELAXED);
  else raise(&record->timers_until, moment);
}

EXPORTED void dispatch_source_set_timer(object source, uint64_t start, uint64_t interval, uint64_t leeway) {
  uint64_t once = interval == FOREVER ? sum(sum(moment_of(start), leeway), 100000000u) : UINT64_MAX;
  if (!CALLED_BY_DISPATCH) schedule(source, start == FOREVER ? 0 : once);
  real()->dispatch_source_set_timer(source, start, interval, leeway);
}

EXPORTED void dispatch_source_cancel(object source) {
  real()->dispatch_source_cancel(source);
  if (!CALLED_BY_DISPATCH) schedule(source, 0);
}
