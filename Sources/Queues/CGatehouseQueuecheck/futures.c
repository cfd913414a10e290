// Futures of libstdc++. Their waits are in the library, behind two functions that programs call: one waits until the
// word in a future's state changes, and the other wakes the waiting threads. A future is given once. If it is ready
// before a thread waits for it, neither function is called.

#include "heap.h"
#include "locks.h"
#include "places.h"
#include "queues.h"
#include "record.h"
#include "symbols.h"

// The future with that word, or null if it is not followed. Its state is in allocated memory.
static thing *future_at(const unsigned *word) {
  if (!record_is_on() || gw_self() == NULL) return NULL;
  thing *found = thing_at(word);
  if (found != NULL && found->kind == GWR_FUTURE) return found;
  uintptr_t at = (uintptr_t)word;
  return !place_is_on_stack(at) && heap_follow(at) ? thing_made(word, GWR_FUTURE, NULL, false) : NULL;
}

static __attribute__((noinline)) void ask_future(const unsigned *word, bool is_forever) {
  thing *found = future_at(word);
  gw_signal *signal = found == NULL ? NULL : thing_signal(found);
  if (signal == NULL) {
    if (record_is_on() && gw_self() != NULL && is_forever) anonymous_wait(GWR_CONDITION);
    return;
  }
  // A wait with a limit ends by itself.
  if (!is_forever) return gw_signal_try(signal);
  signal->is_single = 1;
  chain current = current_enter();
  gw_waits(exclusive(found));
  gw_signal_wait(signal, exclusive(found));
  record_wait(exclusive(found), is_cooperative());
  chain_leave(&current);
}

static __attribute__((noinline)) void future_given(const unsigned *word) {
  thing *found = future_at(word);
  gw_signal *signal = found == NULL ? NULL : thing_signal(found);
  if (signal == NULL) return;
  signal->is_single = 1;
  chain current = current_enter();
  gw_signal_give(signal, exclusive(found));
  chain_leave(&current);
}

// libstdc++ may be loaded later than this library, so its functions are looked up when they are first called.
static void *real_function(void **known, const char *name) {
  void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (found == NULL) __atomic_store_n(known, found = symbol_behind(name), __ATOMIC_RELAXED);
  return found;
}

// The arguments that the functions in C++ get: a wait until a time has a limit.
typedef bool (*wait_function)(
    void *base, unsigned *word, unsigned value, bool is_limited, long seconds, long nanoseconds);
typedef void (*wake_function)(unsigned *word);

#define DURATIONS "NSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE"
#define FUTEX "_ZNSt28__atomic_futex_unsigned_base"
#define WAITS(name, symbol) \
  bool name(void *base, unsigned *word, unsigned value, bool is_limited, long seconds, long nanoseconds) \
      __asm__(symbol); \
  EXPORTED bool name( \
      void *base, unsigned *word, unsigned value, bool is_limited, long seconds, long nanoseconds) { \
    static void *known; \
    wait_function wait = (wait_function)real_function(&known, symbol); \
    ask_future(word, !is_limited); \
    bool has_changed = wait(base, word, value, is_limited, seconds, nanoseconds); \
    if (record_is_on()) gw_asked(); \
    return has_changed; \
  }
WAITS(futex_wait_until, FUTEX "19_M_futex_wait_untilEPjjb" DURATIONS)
WAITS(futex_wait_until_steady, FUTEX "26_M_futex_wait_until_steadyEPjjb" DURATIONS)

#define WAKES FUTEX "19_M_futex_notify_allEPj"
void futex_notify_all(unsigned *word) __asm__(WAKES);
EXPORTED void futex_notify_all(unsigned *word) {
  static void *known;
  wake_function wake = (wake_function)real_function(&known, WAKES);
  future_given(word);
  wake(word);
}
