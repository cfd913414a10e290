// Conditions and barriers: waits that any thread may end. What the waiters for a condition hold, and what its signalers
// run, is recorded as for a semaphore made with 0.

#include "heap.h"
#include "locks.h"
#include "marks.h"
#include "operations.h"
#include "places.h"
#include "queues.h"
#include "record.h"

// All things of one kind share one class, because the thread that will end the wait is unknown.
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

// MARK: - Conditions

// The condition at an address, or null if it is not followed. The address of a condition in a global variable, or in
// allocated memory that is freed by a call, means one condition until then.
static thing *condition_at(const void *address) {
  uintptr_t at = (uintptr_t)address;
  thing *found = thing_at(address);
  if (found != NULL && found->kind == GWR_CONDITION) return found;
  if (place_is_in_image(at)) return thing_made(address, GWR_CONDITION, NULL, true);
  return !place_is_on_stack(at) && heap_follow(at) ? thing_made(address, GWR_CONDITION, NULL, false) : NULL;
}

// A condition elsewhere, such as on a stack, is another one after each return, and it has no room for a mark. But the
// mutex with which it is awaited has one. If no call initialized that mutex, they are of one object. So the condition
// belongs to the mutex, which is the thing's target.
static bool is_of(const thing *found, const thing *mutex) {
  return found != NULL && found->kind == GWR_CONDITION && found->target == mutex &&
         found->target_instance == mutex->instance;
}

// The condition for which the calling thread waits with a mutex; null if it is not followed.
static thing *condition_of(const void *address, thing *mutex) {
  thing *known = thing_at(address);
  if (known == NULL || known->kind != GWR_CONDITION) known = condition_at(address);
  if ((known != NULL && known->target == NULL) || mutex == NULL || !mark_is_of_unmade(mutex)) return known;
  static uint32_t lock;
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0) {}
  thing *found = thing_at(address);
  if (!is_of(found, mutex)) found = thing_made(address, GWR_CONDITION, NULL, false);
  if (found != NULL) {
    found->target_instance = mutex->instance;
    found->target = mutex;
  }
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  return found;
}

// The condition that the calling thread signals; null if it is not followed. If it belongs to a mutex, the thread must
// have that mutex, or must have left it last: another condition may be at the address by now. The mutex itself is not
// looked at, because its memory may be gone.
static thing *condition_signaled(const void *address) {
  if (!record_is_on() || gw_self() == NULL) return NULL;
  thing *found = condition_at(address);
  const thing *mutex = found == NULL ? NULL : found->target;
  if (mutex == NULL) return found;
  uint64_t instance = found->target_instance;
  return mutex->instance == instance && (gw_holds(instance) || lock_left_last() == instance) ? found : NULL;
}

// Records a wait for a condition. The mutex has already been left.
static void ask_condition(const void *condition, thing *mutex, bool is_forever) {
  const gw_thread *self = gw_self();
  thing *found = self->depth == 0 ? thing_at(condition) : condition_of(condition, mutex);
  gw_signal *signal = found == NULL || found->kind != GWR_CONDITION ? NULL : thing_signal(found);
  if (signal == NULL) {
    if (is_forever) anonymous_wait(GWR_CONDITION);
    return;
  }
  if (!is_forever) return gw_signal_try(signal);
  chain current = current_enter();
  gw_waits(exclusive(found));
  gw_signal_wait(signal, exclusive(found));
  record_wait(exclusive(found), is_cooperative());
  chain_leave(&current);
}

static __attribute__((noinline)) void condition_given(const void *condition) {
  thing *found = condition_signaled(condition);
  gw_signal *signal = found == NULL ? NULL : thing_signal(found);
  if (signal == NULL) return;
  chain current = current_enter();
  gw_signal_give(signal, exclusive(found));
  chain_leave(&current);
}

// Records that a wait for a condition leaves the mutex and asks for it again. Returns the mutex if it is followed.
static __attribute__((noinline)) thing *condition_wait(const void *condition, const void *mutex, bool is_forever) {
  if (!record_is_on() || gw_self() == NULL) return NULL;
  thing *found = thing_at(mutex);
  if (found != NULL && found->kind == GWR_MUTEX) {
    gw_leave(found->instance);
    if (!gw_holds(found->instance)) lock_ask(found, exclusive(found));
  } else {
    found = NULL;
  }
  gw_asked();
  operations_waited(mutex);
  ask_condition(condition, found, is_forever);
  return found;
}

static int condition_waited(int result, thing *found) {
  gw_asked();
  if (found != NULL) gw_enter(exclusive(found));
  return result;
}

EXPORTED int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
  int result = libc()->pthread_cond_init(condition, attributes);
  if (result == 0) thing_made(condition, GWR_CONDITION, NULL, false);
  return result;
}

EXPORTED int pthread_cond_destroy(pthread_cond_t *condition) {
  thing_gone(condition);
  return libc()->pthread_cond_destroy(condition);
}

EXPORTED int pthread_cond_signal(pthread_cond_t *condition) {
  condition_given(condition);
  return libc()->pthread_cond_signal(condition);
}

EXPORTED int pthread_cond_broadcast(pthread_cond_t *condition) {
  if (is_foundation((uintptr_t)__builtin_return_address(0))) operations_broadcast();
  condition_given(condition);
  return libc()->pthread_cond_broadcast(condition);
}

EXPORTED int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  thing *found = condition_wait(condition, mutex, true);
  return condition_waited(libc()->pthread_cond_wait(condition, mutex), found);
}

EXPORTED int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  thing *found = condition_wait(condition, mutex, false);
  return condition_waited(libc()->pthread_cond_timedwait(condition, mutex, until), found);
}

EXPORTED int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
  thing *found = condition_wait(condition, mutex, false);
  return condition_waited(libc()->pthread_cond_clockwait(condition, mutex, clock, until), found);
}

EXPORTED int cnd_init(cnd_t *condition) {
  int result = libc()->cnd_init(condition);
  if (result == thrd_success) thing_made(condition, GWR_CONDITION, NULL, false);
  return result;
}

EXPORTED void cnd_destroy(cnd_t *condition) {
  thing_gone(condition);
  libc()->cnd_destroy(condition);
}

EXPORTED int cnd_signal(cnd_t *condition) {
  condition_given(condition);
  return libc()->cnd_signal(condition);
}

EXPORTED int cnd_broadcast(cnd_t *condition) {
  condition_given(condition);
  return libc()->cnd_broadcast(condition);
}

EXPORTED int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  thing *found = condition_wait(condition, mutex, true);
  return condition_waited(libc()->cnd_wait(condition, mutex), found);
}

EXPORTED int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until) {
  thing *found = condition_wait(condition, mutex, false);
  return condition_waited(libc()->cnd_timedwait(condition, mutex, until), found);
}

EXPORTED int pthread_barrier_wait(pthread_barrier_t *barrier) {
  if (record_is_on()) anonymous_wait(GWR_CONDITION);
  int result = libc()->pthread_barrier_wait(barrier);
  if (record_is_on()) gw_asked();
  return result;
}
