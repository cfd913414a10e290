// Conditions and barriers: waits that any thread may end.

#include "locks.h"
#include "queues.h"
#include "record.h"

// All of one kind are one class, because it is unknown which thread will end the wait.
gw_thing anonymous(gwr_kind kind) {
  static uint32_t ids[GWR_BLOCK + 1];
  uint32_t id = __atomic_load_n(&ids[kind], __ATOMIC_ACQUIRE);
  if (id == 0) {
    id = record_class(kind, NULL, kind);
    __atomic_store_n(&ids[kind], id, __ATOMIC_RELEASE);
  }
  return (gw_thing){.instance = kind, .class_id = id};
}

void anonymous_wait(gwr_kind kind) {
  chain current = current_enter();
  gw_waits(anonymous(kind));
  record_wait(anonymous(kind), is_cooperative());
  chain_leave(&current);
}

// A wait for a condition leaves the mutex, and asks for it again.
static __attribute__((noinline)) thing *condition_wait(const void *mutex, bool is_forever) {
  if (!record_is_on() || gw_self() == NULL) return NULL;
  thing *found = thing_at(mutex);
  if (found != NULL && found->kind == GWR_MUTEX) {
    gw_leave(found->instance);
    if (!gw_holds(found->instance)) lock_ask(found, exclusive(found));
  } else {
    found = NULL;
  }
  gw_asked();
  if (is_forever) anonymous_wait(GWR_CONDITION);
  return found;
}

static int condition_waited(int result, thing *found) {
  gw_asked();
  if (found != NULL) gw_enter(exclusive(found));
  return result;
}

EXPORTED int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  thing *found = condition_wait(mutex, true);
  return condition_waited(libc()->pthread_cond_wait(condition, mutex), found);
}

EXPORTED int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  thing *found = condition_wait(mutex, false);
  return condition_waited(libc()->pthread_cond_timedwait(condition, mutex, until), found);
}

EXPORTED int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
  thing *found = condition_wait(mutex, false);
  return condition_waited(libc()->pthread_cond_clockwait(condition, mutex, clock, until), found);
}

EXPORTED int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  thing *found = condition_wait(mutex, true);
  return condition_waited(libc()->cnd_wait(condition, mutex), found);
}

EXPORTED int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until) {
  thing *found = condition_wait(mutex, false);
  return condition_waited(libc()->cnd_timedwait(condition, mutex, until), found);
}

EXPORTED int pthread_barrier_wait(pthread_barrier_t *barrier) {
  if (record_is_on()) anonymous_wait(GWR_CONDITION);
  int result = libc()->pthread_barrier_wait(barrier);
  if (record_is_on()) gw_asked();
  return result;
}
