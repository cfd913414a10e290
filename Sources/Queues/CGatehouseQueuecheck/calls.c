// Calls that wait until a block has run: sync, barrierSync, asyncAndWait.

#include "gatehouse_mix.h"
#include "record.h"
#include "runs.h"

typedef void (*sync_function)(object queue, void *context, function work);

void queue_used(object queue) {
  thing *found = thing_at(queue);
  if (found == NULL || found->kind > GWR_POOL) return;
  if (__atomic_load_n(&found->last_wait, __ATOMIC_RELAXED) == 0) return;
  uint64_t last = __atomic_exchange_n(&found->last_wait, 0, __ATOMIC_RELAXED);
  if (last & WITHDRAWN) record_withdraw(found->instance, last & ~WITHDRAWN, 0, false);
}

// The calling thread's latest waits for queues. `held` is a hash of everything that the thread held at the time.
typedef struct wait_begun {
  uint64_t wait, held, first_edge;
  uint32_t run;
} wait_begun;
enum { WAITS_BEGUN = 8 };
static __thread wait_begun waits_begun[WAITS_BEGUN] __attribute__((tls_model("initial-exec")));
static __thread uint32_t wait_count __attribute__((tls_model("initial-exec")));

static uint64_t held(const gw_thread *self) {
  uint64_t all = 0;
  for (uint32_t index = 0; index < self->depth && index < GW_HOLDS; index++)
    all ^= gw_mix(self->holds[index].thing.instance);
  return all;
}

static void waits_last(object queue, uint64_t wait, uint64_t first_edge) {
  queue_used(queue);
  thing *found = thing_at(queue);
  const gw_thread *self = gw_self();
  if (found == NULL || self == NULL) return;
  waits_begun[wait_count++ % WAITS_BEGUN] =
      (wait_begun){.wait = wait, .held = held(self), .first_edge = first_edge, .run = record_run()};
  __atomic_store_n(&found->last_wait, wait, __ATOMIC_RELAXED);
}

static void waited(object queue, uint64_t wait) {
  const thing *found = thing_at(queue);
  if (found != NULL && __atomic_load_n(&found->last_wait, __ATOMIC_RELAXED) != wait) queue_used(queue);
}

// Withdraws the edges of the last wait for a queue if the waiter itself releases the queue, holds the same things as
// during the wait, and no other thread has used the queue since. In that case no other thread knew the queue, so none
// could have blocked the wait. An example is an object that owns a queue and waits for it once more in its deinit.
EXPORTED void dispatch_release(object released) {
  thing *found = CALLED_BY_DISPATCH || !record_is_on() ? NULL : thing_at(released);
  bool is_queue = found != NULL && found->kind <= GWR_CONCURRENT;
  uint64_t last = is_queue ? __atomic_load_n(&found->last_wait, __ATOMIC_RELAXED) : 0;
  const gw_thread *self = last == 0 ? NULL : gw_self();
  for (uint32_t index = 0; self != NULL && index < WAITS_BEGUN; index++) {
    const wait_begun *mine = &waits_begun[index];
    if (mine->wait != last || mine->run != record_run() || mine->held != held(self)) continue;
    bool is_withdrawn = __atomic_compare_exchange_n(
        &found->last_wait, &last, last | WITHDRAWN, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (is_withdrawn) record_withdraw(found->instance, last, mine->first_edge, true);
    break;
  }
  real()->dispatch_release(released);
}

typedef struct call {
  object queue;
  chain asked;
  void *context;
  function work;
  uint32_t frame_count;
  uintptr_t frames[GW_FRAMES];
} call;

static void run_call(void *given) {
  call *made = given;
  entered now = run_begin(made->queue, &made->asked, made->frames, made->frame_count, 0);
  gw_asked();
  made->work(made->context);
  run_end(&now);
}

static __attribute__((noinline)) void wait_for(
    object queue, void *context, function work, bool is_barrier, sync_function real) {
  call made = {.queue = queue, .asked = chain_of(queue, is_barrier), .context = context, .work = work};
  if (made.asked.count == 0) return real(queue, context, work);
  uint64_t first_edge = record_edges(), wait = chain_ask(&made.asked);
  waits_last(queue, wait, first_edge);
  made.frame_count = gw_stack(made.frames, GW_FRAMES, 0);
  real(queue, &made, run_call);
  gw_asked();
  waited(queue, wait);
  record_moment(GWR_ASKED, chain_innermost(&made.asked), 0);
}

static __attribute__((noinline)) void wait_for_block(
    object queue, block *work, bool is_barrier, sync_function real, void (*real_block)(object, block *)) {
  if (!is_work_item(work)) return wait_for(queue, work, (function)work->invoke, is_barrier, real);
  chain asked = chain_of(queue, is_barrier);
  chain_ask(&asked);
  queue_used(queue);
  real_block(queue, work);
  if (asked.count > 0) gw_asked();
}

#define WAITS(name, is_barrier) \
  EXPORTED void name##_f(object queue, void *context, function work) { \
    if (CALLED_BY_DISPATCH) return real()->name##_f(queue, context, work); \
    wait_for(queue, context, work, is_barrier, real()->name##_f); \
    __asm__ volatile(""); \
  } \
  EXPORTED void name(object queue, block *work) { \
    if (CALLED_BY_DISPATCH) return real()->name(queue, work); \
    wait_for_block(queue, work, is_barrier, real()->name##_f, real()->name); \
    __asm__ volatile(""); \
  }
WAITS(dispatch_sync, false)
WAITS(dispatch_barrier_sync, true)
WAITS(dispatch_async_and_wait, false)
WAITS(dispatch_barrier_async_and_wait, true)
