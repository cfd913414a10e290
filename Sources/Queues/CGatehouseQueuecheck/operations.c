// Foundation waits for all operations of a queue by waiting for each one, and for one operation on its own condition.
// `Operation.waitUntilFinished` locks the condition's mutex. It is also locked when the operation's end is broadcast,
// on the dispatch queue that ran the operation. So the queue is known after the wait, and the waiter asks for it then.
//
// An operation queue makes a concurrent dispatch queue for its operations, and itself limits how many run at once. If
// the limit is one, each operation holds the dispatch queue alone.

#define _GNU_SOURCE
#include "operations.h"

#include <time.h>
#include <unistd.h>

#include "locks.h"
#include "queues.h"
#include "record.h"
#include "symbols.h"

uintptr_t foundation_from, foundation_to;

typedef struct function_range { uintptr_t from, to; } function_range;
static function_range waits_for_one, waits_for_all, runs, adds;

// Functions of Foundation, which use Swift's calling convention.
typedef __attribute__((swiftcall)) void *(*get_current)(__attribute__((swift_context)) void *type);
typedef __attribute__((swiftcall)) intptr_t (*get_width)(__attribute__((swift_context)) void *operation_queue);
static get_current current_of;
static get_width width_of;
static void (*release)(void *object);

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
  adds = range_of("$s10Foundation14OperationQueueC14_addOperations_7barrierySayAA0B0CG_SbtF");
  current_of = (get_current)symbol_first("$s10Foundation14OperationQueueC7currentACSgvgZ").address;
  width_of = (get_width)symbol_first("$s10Foundation14OperationQueueC013maxConcurrentB5CountSivg").address;
  release = (void (*)(void *))symbol_first("swift_release").address;
  foundation_from = found.image_from;
  foundation_to = found.image_to;
}

// Whether one of the nearest `depth` callers of the calling function is in the range.
static bool is_called_in(function_range range, uint32_t depth) {
  uintptr_t frames[GW_FRAMES];
  uint32_t count = gw_stack(frames, depth < GW_FRAMES ? depth : GW_FRAMES, 0);
  for (uint32_t index = 0; index < count; index++)
    if (is_within(range, frames[index])) return true;
  return false;
}

// MARK: - Queues that run one operation at a time

bool operations_made(const uintptr_t *frames, uint32_t count) {
  for (uint32_t index = 0; index < count; index++)
    if (is_within(adds, frames[index])) return true;
  return false;
}

// The dispatch queue on which the calling thread begins an operation, until its operation queue is known. 0: none.
static __thread uint64_t beginning_on __attribute__((tls_model("initial-exec")));

// Whether Foundation made the dispatch queue, for an operation queue without an underlying one. No other code uses it.
static bool is_own_queue(const thing *queue) {
  const gwr_class *row = queue->kind == GWR_CONCURRENT ? record_class_row(queue->class_id) : NULL;
  return row != NULL && row->frame_count > 0 && is_foundation(row->frames[0]);
}

uint64_t operations_begin(void) {
  uint64_t before = beginning_on;
  // On the main thread, Foundation always returns the main queue.
  if (current_of == NULL || width_of == NULL || release == NULL || gw_is_main_thread()) return before;
  const thing *queue = thing_at(real()->dispatch_get_current_queue());
  if (queue != NULL && is_own_queue(queue) && gw_holds(queue->instance)) beginning_on = queue->instance;
  return before;
}

void operations_end(uint64_t before) { beginning_on = before; }

// Foundation stores the operation queue before it starts the operation, and the start begins by taking a lock. At that
// point the thread holds none of Foundation's locks, so Foundation can be asked.
static __attribute__((noinline)) void look_for_width(void) {
  uint64_t instance = beginning_on;
  beginning_on = 0;
  void *operation_queue = current_of(NULL);
  if (operation_queue == NULL) {
    beginning_on = instance;
    return;
  }
  if (width_of(operation_queue) == 1) gw_alone(instance);
  release(operation_queue);
}

// MARK: - The queues of operations that have ended

static __thread const void *latest_mutex __attribute__((tls_model("initial-exec")));

void operations_locked(const void *mutex) {
  if (__builtin_expect(beginning_on != 0, 0)) look_for_width();
  latest_mutex = mutex;
}

// The thing that represents the end of the operation with this mutex.
static gw_thing end_of(const thing *mutex) {
  return (gw_thing){.instance = mutex->instance, .class_id = anonymous(GWR_CONDITION).class_id};
}

// `_schedule(_:)` runs an operation on its queue's dispatch queue, and broadcasts its end. If the end is broadcast from
// elsewhere, other code ended the operation, on a queue of its own.
static void give_end(const gw_thread *self, thing *mutex) {
  if (!record_is_known_to_dispatch(gw_tid(self))) return;
  thing *on = thing_at(real()->dispatch_get_current_queue());
  if (on == NULL || on->kind > GWR_POOL || !is_called_in(runs, GW_FRAMES)) return;
  // Later the mutex tells on which queue its operation ran.
  mutex->target_instance = on->instance;
  __atomic_store_n(&mutex->target, on, __ATOMIC_RELEASE);
  gw_signal *signal = thing_signal(mutex);
  if (signal != NULL) gw_signal_give(signal, end_of(mutex));
}

// The value of `last_wait` of a mutex whose condition was broadcast.
enum { ANNOUNCED = 1 };

void operations_broadcast(void) {
  const gw_thread *self = record_is_on() ? gw_self() : NULL;
  thing *mutex = self == NULL ? NULL : thing_at(latest_mutex);
  if (mutex == NULL || !gw_holds(mutex->instance)) return;
  give_end(self, mutex);
  __atomic_store_n(&mutex->last_wait, ANNOUNCED, __ATOMIC_RELEASE);
}

// MARK: - Ends that are seen before they are broadcast

// The latest of them, which the broadcast attributes.
enum { SEEN = 16 };
typedef struct seen_end { const thing *mutex; uint64_t instance; } seen_end;
static seen_end seen[SEEN];
static uint32_t seen_count;

static bool is_announced(const thing *mutex) {
  return __atomic_load_n(&mutex->last_wait, __ATOMIC_ACQUIRE) == ANNOUNCED;
}

static void note_seen(const thing *mutex) {
  seen_end *row = &seen[__atomic_fetch_add(&seen_count, 1, __ATOMIC_RELAXED) % SEEN];
  __atomic_store_n(&row->instance, mutex->instance, __ATOMIC_RELAXED);
  __atomic_store_n(&row->mutex, mutex, __ATOMIC_RELEASE);
}

static bool is_one_awaited(void) {
  for (uint32_t index = 0; index < SEEN; index++) {
    const thing *mutex = __atomic_load_n(&seen[index].mutex, __ATOMIC_ACQUIRE);
    uint64_t instance = __atomic_load_n(&seen[index].instance, __ATOMIC_RELAXED);
    if (mutex != NULL && mutex->instance == instance && !is_announced(mutex)) return true;
  }
  return false;
}

// The program may end between the end of an operation and its broadcast, which tells the queue that it ended on. So the
// end of the program waits for the broadcast, a second at most: other code may never announce its operation's end.
__attribute__((destructor)) static void await_broadcasts(void) {
  static const struct timespec moment = {.tv_nsec = 1000000};
  for (uint32_t round = 0; round < 1000 && is_one_awaited(); round++) {
    if (!record_is_on() || record->pid != (uint32_t)getpid()) return;
    nanosleep(&moment, NULL);
  }
}

// MARK: - Waits that have ended

// Asks for a queue exclusively: blocks share a concurrent queue, but a wait for all of them excludes each.
static void ask_for_all(object queue) {
  chain asked = chain_of(queue, false);
  if (asked.count > 0) asked.things[asked.count - 1].is_shared = 0;
  chain_ask(&asked);
  gw_asked();
}

static __thread const void *latest_wait __attribute__((tls_model("initial-exec")));

void operations_waited(const void *mutex) { latest_wait = mutex; }

// Records a wait for an operation that had ended before the thread waited for its condition: in another run it may end
// later. The end may even be broadcast after this.
static void ask_for_one(thing *mutex) {
  gw_signal *signal = latest_wait == (const void *)mutex->address ? NULL : thing_signal(mutex);
  latest_wait = NULL;
  if (signal == NULL) return;
  if (!is_announced(mutex)) note_seen(mutex);
  chain current = current_enter();
  gw_signal_wait(signal, end_of(mutex));
  chain_leave(&current);
}

void operations_unlocked(const void *mutex, uintptr_t caller) {
  if (!is_within(waits_for_one, caller) || !record_is_on() || gw_self() == NULL) return;
  thing *found = thing_at(mutex);
  if (found == NULL) return;
  ask_for_one(found);
  if (!is_called_in(waits_for_all, 4)) return;
  const thing *on = __atomic_load_n(&found->target, __ATOMIC_ACQUIRE);
  if (on != NULL && on->instance == found->target_instance) ask_for_all((object)on->address);
}
