// Semaphores, groups and work items: waits for something that another thread does.

#include "signals.h"

#include "queues.h"
#include "record.h"
#include "tasks.h"

// Records that the thread waits for a signal, and makes the edges to its known givers.
static __attribute__((noinline)) void signal_wait(thing *found) {
  chain current = current_enter();
  gw_signal *signal = thing_signal(found);
  if (found->kind == GWR_GROUP && signal != NULL) signal->needs_all = 1;
  gw_waits(exclusive(found));
  if (signal != NULL) gw_signal_wait(signal, exclusive(found));
  record_wait(exclusive(found), is_cooperative());
  chain_leave(&current);
}

static void signal_waited(thing *found) {
  if (found != NULL) gw_asked();
}

// MARK: - Semaphores

// A semaphore made with 1 is a lock until a thread that did not take it signals it. One made with 0 is a signal.
thing *semaphore_made(const void *address, intmax_t count) {
  thing *found = thing_made(address, count == 1 ? GWR_LOCK_SEMAPHORE : GWR_SEMAPHORE, NULL, false);
  // With a count above 1 it is unknown which signal ends which wait.
  gw_signal *signal = count > 1 && found != NULL ? thing_signal(found) : NULL;
  if (signal != NULL) signal->is_ambiguous = 1;
  return found;
}

static bool is_lock(const thing *found) {
  if (found->kind != GWR_LOCK_SEMAPHORE) return false;
  const gwr_class *row = record_class_row(found->class_id);
  return row == NULL || !row->is_no_lock;
}

bool semaphore_ask(thing *found, bool is_forever) {
  tasks_follow();
  bool is_alone = is_lock(found) && !gw_holds(found->instance);
  if (!is_forever) {
    // A wait with a timeout does not hang.
    gw_signal *signal = found->kind == GWR_SEMAPHORE ? thing_signal(found) : NULL;
    if (signal != NULL) gw_signal_try(signal);
  } else if (is_alone) {
    chain current = current_enter();
    gw_ask(exclusive(found));
    chain_leave(&current);
  } else {
    signal_wait(found);
  }
  return is_alone;
}

void semaphore_waited(thing *found, bool was_taken, bool is_lock_now) {
  gw_asked();
  if (!was_taken || !is_lock_now) return;
  gw_enter(exclusive(found));
  tasks_took(found->instance);
}

static void lock_given(const thing *found) {
  gwr_class *row = record_class_row(found->class_id);
  tasks_follow();
  tasks_gave(found->instance);
  if (gw_holds(found->instance)) {
    gw_leave(found->instance);
    return;
  }
  gw_void(found->instance);
  if (row != NULL) row->is_no_lock = 1;
}

void semaphore_given(thing *found) {
  if (found->kind == GWR_LOCK_SEMAPHORE) return lock_given(found);
  if (found->kind != GWR_SEMAPHORE) return;
  gw_signal *signal = thing_signal(found);
  chain current = current_enter();
  if (signal != NULL) gw_signal_give(signal, exclusive(found));
  chain_leave(&current);
}

// The row of the class of a hold if that is a semaphore which serves as a lock; null otherwise.
static gwr_class *semaphore_row(const gw_hold *hold) {
  gwr_class *row = record_class_row(hold->thing.class_id);
  return row != NULL && row->kind == GWR_LOCK_SEMAPHORE ? row : NULL;
}

bool semaphore_is_held(void) {
  const gw_thread *self = record_is_on() ? gw_self() : NULL;
  for (uint32_t index = 0; self != NULL && index < self->depth && index < GW_HOLDS; index++)
    if (semaphore_row(&self->holds[index]) != NULL) return true;
  return false;
}

void semaphores_outlive(void) {
  const gw_thread *self = record_is_on() ? gw_self() : NULL;
  if (self == NULL) return;
  for (uint32_t index = self->depth < GW_HOLDS ? self->depth : GW_HOLDS; index-- > 0;) {
    gwr_class *row = semaphore_row(&self->holds[index]);
    if (row == NULL) continue;
    row->is_no_lock = 1;
    gw_leave(self->holds[index].thing.instance);
  }
}

EXPORTED object dispatch_semaphore_create(intptr_t value) {
  object semaphore = real()->dispatch_semaphore_create(value);
  if (semaphore != NULL) semaphore_made(semaphore, value);
  return semaphore;
}

EXPORTED intptr_t dispatch_semaphore_wait(object semaphore, uint64_t timeout) {
  thing *found = record_is_on() && !CALLED_BY_DISPATCH ? thing_at(semaphore) : NULL;
  if (found == NULL) return real()->dispatch_semaphore_wait(semaphore, timeout);
  bool is_alone = semaphore_ask(found, timeout == FOREVER);
  intptr_t result = real()->dispatch_semaphore_wait(semaphore, timeout);
  semaphore_waited(found, result == 0, is_alone);
  return result;
}

EXPORTED intptr_t dispatch_semaphore_signal(object semaphore) {
  thing *found = record_is_on() && !CALLED_BY_DISPATCH ? thing_at(semaphore) : NULL;
  if (found != NULL) semaphore_given(found);
  return real()->dispatch_semaphore_signal(semaphore);
}

// MARK: - Groups

EXPORTED intptr_t dispatch_group_wait(object group, uint64_t timeout) {
  thing *found = record_is_on() && timeout == FOREVER && !CALLED_BY_DISPATCH ? thing_at(group) : NULL;
  if (found != NULL && found->kind == GWR_GROUP) signal_wait(found);
  intptr_t result = real()->dispatch_group_wait(group, timeout);
  signal_waited(found);
  gw_signal *signal = result == 0 && found != NULL && found->kind == GWR_GROUP ? thing_signal(found) : NULL;
  if (signal != NULL) gw_group_empty(signal, exclusive(found));
  return result;
}

// MARK: - Work items

void item_ended(const void *item) {
  thing *found = item == NULL ? NULL : thing_at(item);
  gw_signal *signal = found == NULL || found->kind != GWR_BLOCK ? NULL : thing_signal(found);
  if (signal != NULL) gw_signal_give(signal, exclusive(found));
}

EXPORTED intptr_t dispatch_block_wait(block *item, uint64_t timeout) {
  thing *found = record_is_on() && timeout == FOREVER ? thing_at(item) : NULL;
  if (found == NULL || found->kind != GWR_BLOCK) return real()->dispatch_block_wait(item, timeout);
  bool has_ended = real()->dispatch_block_wait(item, 0) == 0, has_turn = false;
  thing *on = __atomic_load_n(&found->target, __ATOMIC_ACQUIRE);
  if (on != NULL && on->instance == found->target_instance) {
    chain asked = chain_of((object)on->address, false);
    // Ask for an item even if it has ended: in another run it may end later. The exception is the item's own queue:
    // there, what was submitted before the caller has always ended.
    if (!has_ended || !chain_is_held(&asked)) chain_ask(&asked);
    has_turn = asked.count > 0 && !chain_innermost(&asked).is_shared;
  }
  // On a concurrent queue the item waits for no turn, and only its end is waited for.
  if (!has_turn) signal_wait(found);
  intptr_t result = has_ended ? 0 : real()->dispatch_block_wait(item, timeout);
  gw_asked();
  return result;
}
