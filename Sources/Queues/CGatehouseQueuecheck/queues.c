#define _GNU_SOURCE
#include "queues.h"

#include "gatehouse_mix.h"

#include <dlfcn.h>
#include <string.h>

#include "record.h"
#include "timers.h"

static object main_queue;
// The first word of a queue tells its kind. Both values are learned from two queues of our own.
static void *serial_type, *concurrent_type;
static const char cooperative_label[] = "Swift global concurrent queue";

// The queue that the calling thread runs on, or null. Asks dispatch only about a thread that dispatch knows. When a
// thread ends, the destructors of its thread-local values may lock. A call of dispatch at that point would register the
// thread again, and dispatch would then free the thread's caches a second time.
static object current_queue(void) {
  const gw_thread *self = gw_self();
  return self != NULL && record_is_known_to_dispatch(gw_tid(self)) ? real()->dispatch_get_current_queue() : NULL;
}

void queues_begin(void) {
  main_queue = dlsym(RTLD_DEFAULT, "_dispatch_main_q");
  thing *made = thing_made(main_queue, GWR_MAIN, "com.apple.main-thread", true);
  if (made == NULL) return;
  gwr_class *row = record_class_row(made->class_id);
  if (row != NULL) row->frame_count = 0;
  gw_set_main(exclusive(made));
}

// MARK: - Making queues

static void *type_of(object queue) { return *(void **)queue; }

static void learn_types(void) {
  if (__atomic_load_n(&serial_type, __ATOMIC_ACQUIRE) != NULL) return;
  object serial = real()->dispatch_queue_create("gatehouse.serial", NULL);
  object attributes = dlsym(RTLD_DEFAULT, "_dispatch_queue_attr_concurrent");
  object concurrent = real()->dispatch_queue_create("gatehouse.concurrent", attributes);
  concurrent_type = type_of(concurrent);
  __atomic_store_n(&serial_type, type_of(serial), __ATOMIC_RELEASE);
  real()->dispatch_release(serial);
  real()->dispatch_release(concurrent);
}

static void set_target(object queue, object target) {
  thing *from = thing_at(queue), *to = thing_at(target);
  if (from == NULL || from->queue == NULL) return;
  if (to != NULL && to->kind > GWR_POOL) to = NULL;
  from->target_instance = to == NULL ? 0 : to->instance;
  from->queue->target = from->target_instance;
  __atomic_store_n(&from->target, to, __ATOMIC_RELEASE);
}

static __attribute__((noinline)) object made(object queue, const char *label, object target, bool is_serial) {
  if (queue == NULL || !record_is_on()) return queue;
  learn_types();
  gwr_kind kind = !is_serial && type_of(queue) == concurrent_type ? GWR_CONCURRENT : GWR_SERIAL;
  if (label != NULL && strcmp(label, cooperative_label) == 0) kind = GWR_POOL;
  thing_made(queue, kind, label, false);
  if (target != NULL) set_target(queue, target);
  return queue;
}

EXPORTED object dispatch_queue_create(const char *label, object attributes) {
  return made(real()->dispatch_queue_create(label, attributes), label, NULL, false);
}

EXPORTED object dispatch_queue_create_with_target(const char *label, object attributes, object target) {
  return made(real()->dispatch_queue_create_with_target(label, attributes, target), label, target, false);
}

EXPORTED object dispatch_workloop_create(const char *label) {
  return made(real()->dispatch_workloop_create(label), label, NULL, true);
}

// The handlers of a source run one after the other, on the queue that it targets.
EXPORTED object dispatch_source_create(const void *type, uintptr_t handle, unsigned long mask, object target) {
  object source = real()->dispatch_source_create(type, handle, mask, target);
  if (source == NULL || !record_is_on()) return source;
  thing_made(source, GWR_SERIAL, "source", false);
  if (target != NULL) set_target(source, target);
  return source;
}

EXPORTED void dispatch_set_target_queue(object queue, object target) {
  set_target(queue, target);
  real()->dispatch_set_target_queue(queue, target);
}

static void suspend_by(object queue, int32_t change) {
  thing *found = thing_at(queue);
  if (found != NULL && found->queue != NULL && found->kind <= GWR_POOL)
    __atomic_fetch_add(&found->queue->suspended, change, __ATOMIC_RELAXED);
}

EXPORTED void dispatch_suspend(object queue) {
  if (!CALLED_BY_DISPATCH) suspend_by(queue, 1);
  real()->dispatch_suspend(queue);
}

EXPORTED void dispatch_resume(object queue) {
  if (!CALLED_BY_DISPATCH) suspend_by(queue, -1);
  real()->dispatch_resume(queue);
}

// From here on any thread may run the main queue.
EXPORTED void dispatch_main(void) {
  thing *found = thing_at(main_queue);
  if (record_is_on() && found != NULL) {
    gw_leave(found->instance);
    gw_set_main((gw_thing){0});
    record->has_dispatch_main = 1;
  }
  real()->dispatch_main();
}

// MARK: - Chains

static void note_barrier(const thing *queue) {
  gwr_class *row = queue->kind == GWR_CONCURRENT ? record_class_row(queue->class_id) : NULL;
  if (row != NULL) __atomic_store_n(&row->has_barriers, 1, __ATOMIC_RELAXED);
}

chain chain_of(object queue, bool is_barrier) {
  chain found = {0};
  if (!record_is_on()) return found;
  thing *way[CHAIN];
  uint32_t count = 0;
  uint64_t expected = 0;
  for (thing *next = thing_at(queue); next != NULL && count < CHAIN; next = next->target) {
    if (next->kind > GWR_POOL || (expected != 0 && next->instance != expected)) break;
    way[count++] = next;
    expected = next->target_instance;
  }
  while (count-- > 0) {
    bool is_alone = way[count]->kind == GWR_SERIAL || way[count]->kind == GWR_MAIN || (is_barrier && count == 0);
    thing_is_private(way[count]);
    found.things[found.count++] = is_alone ? exclusive(way[count]) : shared(way[count]);
    if (is_barrier && count == 0) note_barrier(way[count]);
  }
  return found;
}

static gw_thing innermost(const chain *chain) {
  return chain->count == 0 ? (gw_thing){0} : chain->things[chain->count - 1];
}

uint64_t chain_ask(const chain *asked) {
  if (asked->count == 0) return 0;
  chain current = current_enter();
  for (uint32_t index = 0; index < asked->count; index++) gw_ask(asked->things[index]);
  const gw_thread *self = gw_self();
  uint64_t wait = self == NULL ? 0 : record_wait_number(gw_tid(self), self->events);
  chain_leave(&current);
  record_moment(GWR_ASK, innermost(asked), 0);
  return wait;
}

void chain_enter(const chain *entered, const uintptr_t *frames, uint32_t count) {
  for (uint32_t index = 0; index < entered->count; index++) gw_enter_at(entered->things[index], frames, count);
}

void chain_leave(const chain *left) {
  for (uint32_t index = left->count; index-- > 0;) gw_leave(left->things[index].instance);
}

chain current_enter(void) {
  chain current = {0};
  object queue = current_queue();
  const thing *found = thing_at(queue);
  if (found == NULL || gw_holds(found->instance)) return current;
  chain whole = chain_of(queue, false);
  for (uint32_t index = 0; index < whole.count; index++) {
    if (gw_holds(whole.things[index].instance)) continue;
    gw_enter(whole.things[index]);
    current.things[current.count++] = whole.things[index];
  }
  return current;
}

// Leaves the main queue if the main thread holds it outside of a block. Returns whether it did.
static bool leave_ambient_main(void) {
  gw_thread *self = gw_self();
  const thing *found = thing_at(main_queue);
  if (self == NULL || found == NULL || self->depth == 0) return false;
  const gw_hold *lowest = &self->holds[0];
  if (!lowest->is_ambient || lowest->thing.instance != found->instance) return false;
  gw_leave(found->instance);
  return true;
}

static void hold_ambient_main(void) {
  const thing *found = thing_at(main_queue);
  if (found != NULL) gw_set_main(exclusive(found));
}

// Foundation's run loop drains the main queue through this. What runs there came through the queue.
EXPORTED void _dispatch_main_queue_callback_4CF(void *message) {
  const thing *found = record_is_on() ? thing_at(main_queue) : NULL;
  bool was_ambient = leave_ambient_main();
  if (was_ambient) gw_enter_at(exclusive(found), NULL, 0);
  real()->_dispatch_main_queue_callback_4CF(message);
  if (!was_ambient) return;
  gw_leave(found->instance);
  hold_ambient_main();
}

// A block that asserts that it is on the main queue says that it never runs elsewhere.
static void note_assertion(object queue) {
  if (queue == main_queue && record_is_on()) gw_declare_main();
}

EXPORTED void dispatch_assert_queue(object queue) {
  real()->dispatch_assert_queue(queue);
  note_assertion(queue);
}

EXPORTED void dispatch_assert_queue_barrier(object queue) {
  real()->dispatch_assert_queue_barrier(queue);
  note_assertion(queue);
}

// MARK: - Running

static __thread uint32_t cooperative_depth __attribute__((tls_model("initial-exec")));
bool is_cooperative(void) { return cooperative_depth > 0; }

// A block that runs and holds its queue. What the thread held already (the main queue) has the block's frames until the
// block ends.
typedef struct entered {
  chain chain;
  bool had_ambient_main, had_other, is_cooperative;
  gw_thing other;
} entered;

static entered enter(object queue, const chain *given, const uintptr_t *frames, uint32_t count, uint32_t job) {
  entered now = {.chain = *given};
  const thing *found = thing_at(queue);
  for (uint32_t index = 0; index < now.chain.count; index++) {
    if (!gw_holds(now.chain.things[index].instance)) continue;
    if (found != NULL && found->kind == GWR_MAIN && leave_ambient_main()) {
      now.had_ambient_main = true;
    } else {
      now.had_other = true;
      now.other = now.chain.things[index];
      gw_leave(now.other.instance);
    }
  }
  now.is_cooperative = found != NULL && found->kind == GWR_POOL;
  if (now.is_cooperative) cooperative_depth++;
  chain_enter(&now.chain, frames, count);
  record_moment(GWR_BEGIN, innermost(&now.chain), job);
  return now;
}

static void leave(const entered *now) {
  record_moment(GWR_END, innermost(&now->chain), 0);
  chain_leave(&now->chain);
  if (now->is_cooperative) cooperative_depth--;
  if (now->had_ambient_main) hold_ambient_main();
  if (now->had_other) gw_enter_at(now->other, NULL, 0);
}

// MARK: - Waiting until a block has run

typedef void (*sync_function)(object queue, void *context, function work);

// A thread other than the last waiter used a queue: restores the edges of that wait, if they were withdrawn.
static void used(object queue) {
  thing *found = thing_at(queue);
  if (found == NULL || found->kind > GWR_POOL) return;
  if (__atomic_load_n(&found->last_wait, __ATOMIC_RELAXED) == 0) return;
  uint64_t last = __atomic_exchange_n(&found->last_wait, 0, __ATOMIC_RELAXED);
  if (last & WITHDRAWN) record_withdraw(found->instance, last & ~WITHDRAWN, 0, false);
}

// The last waits for queues that the calling thread began. `held` is a hash of all that the thread held then.
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
  used(queue);
  thing *found = thing_at(queue);
  const gw_thread *self = gw_self();
  if (found == NULL || self == NULL) return;
  waits_begun[wait_count++ % WAITS_BEGUN] =
      (wait_begun){.wait = wait, .held = held(self), .first_edge = first_edge, .run = record_run()};
  __atomic_store_n(&found->last_wait, wait, __ATOMIC_RELAXED);
}

static void waited(object queue, uint64_t wait) {
  const thing *found = thing_at(queue);
  if (found != NULL && __atomic_load_n(&found->last_wait, __ATOMIC_RELAXED) != wait) used(queue);
}

// Withdraws the edges of the last wait for a queue when the waiter itself releases the queue, holds the same things as
// then, and no other thread has used the queue since. Then no other thread knew the queue any more, and none could have
// blocked that wait. An example is an object that owns a queue and waits for it once more in its deinit.
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
  chain chain;
  void *context;
  function work;
  uint32_t frame_count;
  uintptr_t frames[GW_FRAMES];
} call;

static void run_call(void *given) {
  call *call = given;
  entered now = enter(call->queue, &call->chain, call->frames, call->frame_count, 0);
  gw_asked();
  call->work(call->context);
  leave(&now);
}

static __attribute__((noinline)) void wait_for(
    object queue, void *context, function work, bool is_barrier, sync_function real) {
  call call = {.queue = queue, .chain = chain_of(queue, is_barrier), .context = context, .work = work};
  if (call.chain.count == 0) return real(queue, context, work);
  uint64_t first_edge = record_edges(), wait = chain_ask(&call.chain);
  waits_last(queue, wait, first_edge);
  call.frame_count = gw_stack(call.frames, GW_FRAMES, 0);
  real(queue, &call, run_call);
  gw_asked();
  waited(queue, wait);
  record_moment(GWR_ASKED, innermost(&call.chain), 0);
}

static bool is_special(const block *work) {
  // A variable that holds the function that all such blocks share.
  static void **special;
  if (special == NULL) special = dlsym(RTLD_DEFAULT, "_dispatch_block_special_invoke");
  return special != NULL && (void *)work->invoke == *special;
}

static __attribute__((noinline)) void wait_for_block(
    object queue, block *work, bool is_barrier, sync_function real, void (*real_block)(object, block *)) {
  if (!is_special(work)) return wait_for(queue, work, (function)work->invoke, is_barrier, real);
  chain asked = chain_of(queue, is_barrier);
  chain_ask(&asked);
  used(queue);
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

// The turns of one call hold its work beside each other, and the caller waits for them: so a lock that the caller holds
// and a turn takes is found, whichever thread runs the turn.
typedef struct repeated {
  object queue;
  chain chain;
  gw_thing work;
  void *context;
  void (*turn)(void *, size_t);
  uint32_t frame_count;
  uintptr_t frames[GW_FRAMES];
} repeated;

static void run_repeated(void *given, size_t turn) {
  repeated *all = given;
  bool is_held = gw_holds(innermost(&all->chain).instance), is_nested = gw_holds(all->work.instance);
  chain none = {0};
  entered now = enter(all->queue, is_held ? &none : &all->chain, all->frames, all->frame_count, 0);
  if (!is_nested) gw_enter_at(all->work, all->frames, all->frame_count);
  all->turn(all->context, turn);
  if (!is_nested) gw_leave(all->work.instance);
  leave(&now);
}

// Each call is a thing of its own, and all calls from one place are a class.
static gw_thing work_of_call(void) {
  return (gw_thing){.instance = thing_number(), .class_id = record_class(GWR_REPEATED, NULL, 0)};
}

static __attribute__((noinline)) void repeat(size_t count, object queue, void *context, void (*turn)(void *, size_t)) {
  if (!record_is_on()) return real()->dispatch_apply_f(count, queue, context, turn);
  repeated all = {
      .queue = queue, .chain = chain_of(queue, false), .work = work_of_call(), .context = context, .turn = turn};
  if (all.chain.count > 0) chain_ask(&all.chain);
  chain current = current_enter();
  gw_ask(all.work);
  chain_leave(&current);
  all.work.is_shared = GW_ACTIVITY;
  all.frame_count = gw_stack(all.frames, GW_FRAMES, 0);
  gw_asked();
  real()->dispatch_apply_f(count, queue, &all, run_repeated);
}

EXPORTED void dispatch_apply_f(size_t count, object queue, void *context, void (*turn)(void *, size_t)) {
  if (CALLED_BY_DISPATCH) return real()->dispatch_apply_f(count, queue, context, turn);
  repeat(count, queue, context, turn);
}

EXPORTED void dispatch_apply(size_t count, object queue, block *work) {
  repeat(count, queue, work, (void (*)(void *, size_t))(void *)work->invoke);
}

// MARK: - Blocks that run later

typedef struct job {
  object queue;
  gw_thing activity;
  bool is_barrier, is_block, is_counted;
  void *context;
  function work;
  object group;
  uint64_t group_instance;
  gw_members members;
  uint32_t number, frame_count;
  uintptr_t frames[GW_FRAMES];
} job;

void *malloc(size_t);
void free(void *);

static void give_group(object group, uint64_t instance, uint32_t run, bool is_end) {
  thing *found = thing_at(group);
  if (found == NULL || found->kind != GWR_GROUP || (instance != 0 && found->instance != instance)) return;
  gw_signal *signal = thing_signal(found);
  if (signal == NULL) return;
  signal->needs_all = 1;
  gw_group_leave(signal, exclusive(found), is_end || !record_has_entered(found->instance));
  record_sure(found->instance, run, is_end);
}

static void count_job(object queue, int change) {
  thing *found = thing_at(queue);
  if (!record_is_on()) return;
  if (found != NULL && found->queue != NULL && found->kind <= GWR_POOL) {
    __atomic_fetch_add(&found->queue->pending, change, __ATOMIC_RELAXED);
    if (change < 0) __atomic_fetch_add(&found->queue->begun, 1, __ATOMIC_RELAXED);
  } else if (found == NULL) {
    __atomic_fetch_add(&record->pending_global, change, __ATOMIC_RELAXED);
    if (change < 0) __atomic_fetch_add(&record->begun_global, 1, __ATOMIC_RELAXED);
  }
}

static void run_job(void *given) {
  job *job = given;
  if (job->is_counted) count_job(job->queue, -1);
  gwr_header *header = record;
  if (header != NULL) __atomic_fetch_add(&header->running, 1, __ATOMIC_RELAXED);
  chain chain = chain_of(job->queue, job->is_barrier);
  gw_enter_at(job->activity, job->frames, job->frame_count);
  entered now = enter(job->queue, &chain, job->frames, job->frame_count, job->number);
  gw_members before = gw_take_over(job->members);
  uint32_t run = record_next_run();
  job->work(job->context);
  record_next_run();
  if (job->is_block) real()->_Block_release(job->context);
  if (job->group != NULL) give_group(job->group, job->group_instance, run, true);
  gw_take_over(before);
  leave(&now);
  gw_leave(job->activity.instance);
  used(job->queue);
  if (header != NULL) {
    __atomic_fetch_add(&header->running, -1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&header->ended, 1, __ATOMIC_RELAXED);
  }
  free(job);
}

static __attribute__((noinline)) job *new_job(
    object queue, void *context, function work, block *block, bool is_barrier, bool is_counted) {
  if (!record_is_on()) return NULL;
  job *made = malloc(sizeof *made);
  if (made == NULL) return NULL;
  static uint32_t numbers;
  *made = (job){
      .number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED),
      .queue = queue,
      .is_barrier = is_barrier,
      .is_counted = is_counted,
      .context = context,
      .work = work,
  };
  if (block != NULL) {
    made->is_block = true;
    made->work = (function)block->invoke;
    made->context = real()->_Block_copy(block);
    // A frame for the function that will run: a tail call may remove it from the stack.
    made->frames[0] = (uintptr_t)block->invoke + 1;
  } else {
    made->frames[0] = (uintptr_t)work + 1;
  }
  made->frame_count = 1 + gw_stack(made->frames + 1, GW_FRAMES - 1, 0);
  made->members = gw_memberships();
  made->activity = (gw_thing){
      .instance = thing_number(), .is_shared = GW_ACTIVITY,
      .class_id = record_class_at(GWR_JOB, NULL, 0, made->frames, made->frame_count)};
  thing *found = thing_at(queue);
  // A barrier keeps other blocks out while it waits for its turn.
  if (found != NULL && is_barrier) note_barrier(found);
  used(queue);
  if (is_counted) {
    count_job(queue, 1);
    if (found != NULL) record_moment(GWR_SUBMIT, exclusive(found), made->number);
  }
  return made;
}

// A work item is passed on unchanged, because dispatch reads the data behind its block. A wait for it is a wait for its
// queue.
static void note_item(object queue, block *item) {
  thing *on = thing_at(queue);
  if (on == NULL || on->kind > GWR_POOL) {
    thing_gone(item);
    return;
  }
  used(queue);
  thing *found = thing_made(item, GWR_BLOCK, NULL, false);
  if (found == NULL) return;
  found->target_instance = on->instance;
  __atomic_store_n(&found->target, on, __ATOMIC_RELEASE);
}

#define LATER(name, is_barrier) \
  EXPORTED void name##_f(object queue, void *context, function work) { \
    job *made = CALLED_BY_DISPATCH ? NULL : new_job(queue, context, work, NULL, is_barrier, true); \
    if (made == NULL) real()->name##_f(queue, context, work); \
    else real()->name##_f(queue, made, run_job); \
  } \
  EXPORTED void name(object queue, block *work) { \
    if (CALLED_BY_DISPATCH) return real()->name(queue, work); \
    bool is_item = is_special(work); \
    if (is_item) note_item(queue, work); \
    job *made = is_item ? NULL : new_job(queue, NULL, NULL, work, is_barrier, true); \
    if (made == NULL) real()->name(queue, work); \
    else real()->name##_f(queue, made, run_job); \
  }
LATER(dispatch_async, false)
LATER(dispatch_barrier_async, true)

// Dispatch releases a block that is never to run at once, with all that it captures.
EXPORTED void dispatch_after_f(uint64_t when, object queue, void *context, function work) {
  job *made = when == FOREVER ? NULL : new_job(queue, context, work, NULL, false, false);
  timer_after(when);
  if (made == NULL) real()->dispatch_after_f(when, queue, context, work);
  else real()->dispatch_after_f(when, queue, made, run_job);
}

EXPORTED void dispatch_after(uint64_t when, object queue, block *work) {
  bool is_item = is_special(work);
  if (is_item) note_item(queue, work);
  timer_after(when);
  job *made = is_item || when == FOREVER ? NULL : new_job(queue, NULL, NULL, work, false, false);
  if (made == NULL) real()->dispatch_after(when, queue, work);
  else real()->dispatch_after_f(when, queue, made, run_job);
}

// MARK: - Groups

EXPORTED object dispatch_group_create(void) {
  object group = real()->dispatch_group_create();
  thing_made(group, GWR_GROUP, NULL, false);
  return group;
}

static void enter_group(thing *group) {
  gw_signal *signal = thing_signal(group);
  if (signal == NULL) return;
  chain current = current_enter();
  bool is_phased = gw_group_enter(signal, exclusive(group));
  chain_leave(&current);
  gwr_class *row = is_phased ? record_class_row(group->class_id) : NULL;
  if (row != NULL) __atomic_store_n(&row->is_no_guard, 1, __ATOMIC_RELAXED);
}

static job *for_group(job *job, object group) {
  thing *found = thing_at(group);
  if (job != NULL && found != NULL && found->kind == GWR_GROUP) {
    job->group = group;
    job->group_instance = found->instance;
    enter_group(found);
    job->members = gw_memberships();
  }
  return job;
}

EXPORTED void dispatch_group_enter(object group) {
  thing *found = record_is_on() && !CALLED_BY_DISPATCH ? thing_at(group) : NULL;
  if (found != NULL && found->kind == GWR_GROUP) {
    enter_group(found);
    record_entered(found->instance);
  }
  real()->dispatch_group_enter(group);
}

EXPORTED void dispatch_group_async_f(object group, object queue, void *context, function work) {
  job *made = for_group(new_job(queue, context, work, NULL, false, true), group);
  if (made == NULL) real()->dispatch_group_async_f(group, queue, context, work);
  else real()->dispatch_group_async_f(group, queue, made, run_job);
}

EXPORTED void dispatch_group_async(object group, object queue, block *work) {
  bool is_item = is_special(work);
  if (is_item) note_item(queue, work);
  job *made = is_item ? NULL : for_group(new_job(queue, NULL, NULL, work, false, true), group);
  if (made == NULL) real()->dispatch_group_async(group, queue, work);
  else real()->dispatch_group_async_f(group, queue, made, run_job);
}

EXPORTED void dispatch_group_notify_f(object group, object queue, void *context, function work) {
  job *made = new_job(queue, context, work, NULL, false, false);
  if (made == NULL) real()->dispatch_group_notify_f(group, queue, context, work);
  else real()->dispatch_group_notify_f(group, queue, made, run_job);
}

EXPORTED void dispatch_group_notify(object group, object queue, block *work) {
  job *made = CALLED_BY_DISPATCH || is_special(work) ? NULL : new_job(queue, NULL, NULL, work, false, false);
  if (made == NULL) real()->dispatch_group_notify(group, queue, work);
  else real()->dispatch_group_notify_f(group, queue, made, run_job);
}

EXPORTED void dispatch_group_leave(object group) {
  if (!CALLED_BY_DISPATCH) give_group(group, 0, record_run(), false);
  real()->dispatch_group_leave(group);
}
