// The queues, their targets, and the queue that the calling thread runs on.

#define _GNU_SOURCE
#include "queues.h"

#include "gatehouse_mix.h"

#include <dlfcn.h>
#include <string.h>

#include "record.h"
#include "tasks.h"

static object main_queue;
// The first word of a queue identifies its type. Both values are learned from two queues created for this purpose.
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
  // Foundation puts an address into the label of an operation queue without a name. It differs in each run.
  static const char unnamed[] = "NSOperationQueue 0x";
  if (label != NULL && strncmp(label, unnamed, sizeof unnamed - 1) == 0) label = "NSOperationQueue";
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

// The handlers of a source run one after another, on the source's target queue.
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

void note_barrier(const thing *queue) {
  gwr_class *row = queue->kind == GWR_CONCURRENT ? record_class_row(queue->class_id) : NULL;
  if (row != NULL) __atomic_store_n(&row->has_barriers, 1, __ATOMIC_RELAXED);
}

chain chain_of(object queue, bool is_barrier) {
  chain found = {0};
  if (!record_is_on()) return found;
  thing *way[CHAIN];
  uint32_t count = 0;
  uint64_t expected = 0;
  for (thing *next = thing_at(queue); next != NULL; next = next->target) {
    if (next->kind > GWR_POOL || (expected != 0 && next->instance != expected)) break;
    if (count == CHAIN) {
      __atomic_fetch_add(&record->lost_things, 1, __ATOMIC_RELAXED);
      break;
    }
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

gw_thing chain_innermost(const chain *given) {
  return given->count == 0 ? (gw_thing){0} : given->things[given->count - 1];
}

uint64_t chain_ask(const chain *asked) {
  if (asked->count == 0) return 0;
  chain current = current_enter();
  for (uint32_t index = 0; index < asked->count; index++) gw_ask(asked->things[index]);
  const gw_thread *self = gw_self();
  uint64_t wait = self == NULL ? 0 : record_wait_number(gw_tid(self), self->events);
  chain_leave(&current);
  record_moment(GWR_ASK, chain_innermost(asked), 0);
  return wait;
}

void chain_enter(const chain *entered, const uintptr_t *frames, uint32_t count) {
  for (uint32_t index = 0; index < entered->count; index++) gw_enter_at(entered->things[index], frames, count);
}

void chain_leave(const chain *left) {
  for (uint32_t index = left->count; index-- > 0;) gw_leave(left->things[index].instance);
}

void chain_submitted(const chain *held, uint64_t submission) {
  if (submission == 0) return;
  for (uint32_t index = 0; index < held->count; index++) gw_submitted(held->things[index].instance, submission);
}

bool chain_is_held(const chain *given) {
  chain current = current_enter();
  bool is_held = false;
  for (uint32_t index = 0; index < given->count; index++) is_held = is_held || gw_holds(given->things[index].instance);
  chain_leave(&current);
  return is_held;
}

chain current_enter(void) {
  tasks_follow();
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
bool leave_ambient_main(void) {
  gw_thread *self = gw_self();
  const thing *found = thing_at(main_queue);
  if (self == NULL || found == NULL || self->depth == 0) return false;
  const gw_hold *lowest = &self->holds[0];
  if (!lowest->is_ambient || lowest->thing.instance != found->instance) return false;
  gw_leave(found->instance);
  return true;
}

void hold_ambient_main(void) {
  const thing *found = thing_at(main_queue);
  if (found != NULL) gw_set_main(exclusive(found));
}

// Foundation's run loop drains the main queue through this function. What runs in it was submitted to the queue.
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
