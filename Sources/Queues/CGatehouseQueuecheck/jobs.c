// Blocks that run later: async, asyncAfter, and their barriers.

#include "jobs.h"

#include "record.h"
#include "signals.h"
#include "tasks.h"
#include "timers.h"

void *malloc(size_t);
void free(void *);

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

void group_left(object group, uint64_t instance, uint32_t run, bool is_end) {
  thing *found = thing_at(group);
  if (found == NULL || found->kind != GWR_GROUP || (instance != 0 && found->instance != instance)) return;
  gw_signal *signal = thing_signal(found);
  if (signal == NULL) return;
  signal->needs_all = 1;
  gw_group_leave(signal, exclusive(found), is_end || !record_has_entered(found->instance));
  record_sure(found->instance, run, is_end);
}

void run_job(void *given) {
  job *now = given;
  if (now->is_counted) count_job(now->queue, -1);
  gwr_header *header = record;
  if (header != NULL) __atomic_fetch_add(&header->running, 1, __ATOMIC_RELAXED);
  chain held = chain_of(now->queue, now->is_barrier);
  gw_enter_at(now->activity, now->frames, now->frame_count);
  entered on = run_begin(now->queue, &held, now->frames, now->frame_count, now->number);
  chain_submitted(&on.held, now->submission);
  gw_members before = gw_take_over(now->members);
  uint32_t run = record_next_run();
  bool is_in_semaphore = semaphore_is_held();
  now->work(now->context);
  tasks_ended();
  if (!is_in_semaphore) semaphores_outlive();
  record_next_run();
  if (now->is_block) real()->_Block_release(now->context);
  if (now->group != NULL) group_left(now->group, now->group_instance, run, true);
  gw_take_over(before);
  run_end(&on);
  gw_leave(now->activity.instance);
  queue_used(now->queue);
  if (header != NULL) {
    __atomic_fetch_add(&header->running, -1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&header->ended, 1, __ATOMIC_RELAXED);
  }
  free(now);
}

__attribute__((noinline)) job *new_job(
    object queue, void *context, function work, block *code, bool is_barrier, bool is_counted) {
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
  if (code != NULL) {
    made->is_block = true;
    made->work = (function)code->invoke;
    made->context = real()->_Block_copy(code);
    // A frame for the function that will run: a tail call may remove it from the stack.
    made->frames[0] = (uintptr_t)code->invoke + 1;
  } else {
    made->frames[0] = (uintptr_t)work + 1;
  }
  made->frame_count = 1 + gw_stack(made->frames + 1, GW_FRAMES - 1, 0);
  made->members = gw_memberships();
  made->submission = gw_submission();
  made->activity = (gw_thing){
      .instance = thing_number(), .is_shared = GW_ACTIVITY,
      .class_id = record_class_at(GWR_JOB, NULL, 0, made->frames, made->frame_count)};
  thing *found = thing_at(queue);
  // A barrier keeps other blocks out while it waits for its turn.
  if (found != NULL && is_barrier) note_barrier(found);
  queue_used(queue);
  if (is_counted) {
    count_job(queue, 1);
    if (found != NULL) record_moment(GWR_SUBMIT, exclusive(found), made->number);
  }
  return made;
}

#define LATER(name, is_barrier) \
  EXPORTED void name##_f(object queue, void *context, function work) { \
    job *made = CALLED_BY_DISPATCH ? NULL : new_job(queue, context, work, NULL, is_barrier, true); \
    if (made == NULL) real()->name##_f(queue, context, work); \
    else real()->name##_f(queue, made, run_job); \
  } \
  EXPORTED void name(object queue, block *work) { \
    if (CALLED_BY_DISPATCH) return real()->name(queue, work); \
    bool is_item = is_work_item(work); \
    if (is_item) note_item(queue, work); \
    job *made = is_item ? NULL : new_job(queue, NULL, NULL, work, is_barrier, true); \
    if (made == NULL) real()->name(queue, work); \
    else real()->name##_f(queue, made, run_job); \
  }
LATER(dispatch_async, false)
LATER(dispatch_barrier_async, true)

// Dispatch releases a block that will never run immediately, with all that it captures. So such a block is passed on as
// it is.
EXPORTED void dispatch_after_f(uint64_t when, object queue, void *context, function work) {
  job *made = when == FOREVER ? NULL : new_job(queue, context, work, NULL, false, false);
  timer_after(when, queue);
  if (made == NULL) real()->dispatch_after_f(when, queue, context, work);
  else real()->dispatch_after_f(when, queue, made, run_job);
}

EXPORTED void dispatch_after(uint64_t when, object queue, block *work) {
  bool is_item = is_work_item(work);
  if (is_item) note_item(queue, work);
  timer_after(when, queue);
  job *made = is_item || when == FOREVER ? NULL : new_job(queue, NULL, NULL, work, false, false);
  if (made == NULL) real()->dispatch_after(when, queue, work);
  else real()->dispatch_after_f(when, queue, made, run_job);
}
