// Groups: entering, leaving, and blocks that are members.

#include "jobs.h"
#include "record.h"

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

static job *for_group(job *made, object group) {
  thing *found = thing_at(group);
  if (made != NULL && found != NULL && found->kind == GWR_GROUP) {
    made->group = group;
    made->group_instance = found->instance;
    enter_group(found);
    made->members = gw_memberships();
  }
  return made;
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
  bool is_item = is_work_item(work);
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
  job *made = CALLED_BY_DISPATCH || is_work_item(work) ? NULL : new_job(queue, NULL, NULL, work, false, false);
  if (made == NULL) real()->dispatch_group_notify(group, queue, work);
  else real()->dispatch_group_notify_f(group, queue, made, run_job);
}

EXPORTED void dispatch_group_leave(object group) {
  if (!CALLED_BY_DISPATCH) group_left(group, 0, record_run(), false);
  real()->dispatch_group_leave(group);
}
