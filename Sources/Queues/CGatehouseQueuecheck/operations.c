// Foundation waits for all operations of a queue by waiting for each of them, and for an operation under the mutex of
// its own condition. That mutex is asked for in `Operation.waitUntilFinished`, and is held when the operation's end is
// broadcast, on the dispatch queue that ran it. So the queue is known after the wait, and then the waiter asks for it.

#include "operations.h"

#include "queues.h"
#include "record.h"
#include "symbols.h"

uintptr_t foundation_from, foundation_to;

typedef struct function_range { uintptr_t from, to; } function_range;
static function_range waits_for_one, waits_for_all, runs;

static function_range range_of(const char *name) {
  symbol found = symbol_first(name);
  return (function_range){found.address, found.address + found.size};
}

static bool is_within(function_range range, uintptr_t address) { return address >= range.from && address < range.to; }

__attribute__((constructor(102))) static void find_foundation(void) {
  if (!record_is_on()) return;
  symbol found = symbol_first("$s10Foundation9OperationC17waitUntilFinishedyyF");
  waits_for_one = (function_range){found.address, found.address + found.size};
  waits_for_all = range_of("$s10Foundation14OperationQueueC33waitUntilAllOperationsAreFinishedyyF");
  runs = range_of("$s10Foundation14OperationQueueC9_scheduleyyAA0B0CF");
  foundation_from = found.image_from;
  foundation_to = found.image_to;
}

// Whether a caller of the calling function is in the range, not further up than `depth` frames.
static bool is_called_in(function_range range, uint32_t depth) {
  uintptr_t frames[GW_FRAMES];
  uint32_t count = gw_stack(frames, depth < GW_FRAMES ? depth : GW_FRAMES, 0);
  for (uint32_t index = 0; index < count; index++)
    if (is_within(range, frames[index])) return true;
  return false;
}

// MARK: - The queues of operations that have ended

// By the instance of the operation's mutex. A later operation may take the row: only the latest ones are known.
typedef struct ended { uint64_t mutex; object queue; uint64_t queue_instance; } ended;
enum { ENDED = 1 << 12 };
static ended latest[ENDED];
static uint32_t lock;

static void lock_latest(void) {
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0) {}
}

static void unlock_latest(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

static __thread const void *latest_mutex __attribute__((tls_model("initial-exec")));

void operations_locked(const void *mutex) { latest_mutex = mutex; }

// `_schedule(_:)` runs an operation on its queue's dispatch queue, and broadcasts its end. An operation that ends
// elsewhere was ended by other code, on a queue of that code.
static __attribute__((noinline)) void note_end(void) {
  const gw_thread *self = record_is_on() ? gw_self() : NULL;
  const thing *mutex = self == NULL ? NULL : thing_at(latest_mutex);
  if (mutex == NULL || !gw_holds(mutex->instance) || !record_is_known_to_dispatch(gw_tid(self))) return;
  object queue = real()->dispatch_get_current_queue();
  const thing *on = thing_at(queue);
  if (on == NULL || on->kind > GWR_POOL || !is_called_in(runs, GW_FRAMES)) return;
  lock_latest();
  latest[mutex->instance % ENDED] = (ended){mutex->instance, queue, on->instance};
  unlock_latest();
}

EXPORTED int pthread_cond_broadcast(pthread_cond_t *condition) {
  if (is_foundation((uintptr_t)__builtin_return_address(0))) note_end();
  return libc()->pthread_cond_broadcast(condition);
}

// MARK: - Waits for all operations of a queue

// Blocks of a concurrent queue share it, and a wait for all of them excludes them all.
static void ask_for_all(object queue) {
  chain asked = chain_of(queue, false);
  if (asked.count > 0) asked.things[asked.count - 1].is_shared = 0;
  chain_ask(&asked);
  gw_asked();
}

void operations_unlocked(const void *mutex, uintptr_t caller) {
  if (!is_within(waits_for_one, caller) || !record_is_on() || gw_self() == NULL) return;
  const thing *found = thing_at(mutex);
  if (found == NULL || !is_called_in(waits_for_all, 4)) return;
  lock_latest();
  ended last = latest[found->instance % ENDED];
  unlock_latest();
  const thing *on = last.mutex == found->instance ? thing_at(last.queue) : NULL;
  if (on != NULL && on->instance == last.queue_instance) ask_for_all(last.queue);
}
