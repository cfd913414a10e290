// pthread's mutexes, read-write locks and conditions.

#include <errno.h>

#include "queues.h"
#include "record.h"

// MARK: - The lock at an address

// A lock that no call initialized is followed only if it is a global variable, by its address. Elsewhere (a C++ mutex
// in an object, a mutex on the stack) the same address may be another lock later.
static __attribute__((noinline)) thing *first_seen(const void *address, gwr_kind kind) {
  if (!record_is_in_image((uintptr_t)address)) {
    __atomic_fetch_add(&record->unknown_locks, 1, __ATOMIC_RELAXED);
    return NULL;
  }
  return thing_made(address, kind, NULL, true);
}

static thing *lock_at(const void *address, gwr_kind kind) {
  if (!record_is_on()) return NULL;
  thing *found = thing_at(address);
  return found != NULL && found->kind == kind ? found : first_seen(address, kind);
}

static void ask(thing *found, gw_thing asked) {
  chain current = current_enter();
  thing_ask(thing_is_private(found), asked);
  chain_leave(&current);
}

// MARK: - Mutexes

enum {
  KIND = 3,
  NORMAL = PTHREAD_MUTEX_TIMED_NP,
  RECURSIVE = PTHREAD_MUTEX_RECURSIVE_NP,
  CHECKS = PTHREAD_MUTEX_ERRORCHECK_NP,
};

static int kind_of(const pthread_mutex_t *mutex) { return mutex->__data.__kind & KIND; }

// A thread that waits for a mutex that it holds hangs only if the mutex is neither recursive nor error-checking.
static bool can_hang(const pthread_mutex_t *mutex, const thing *found) {
  int kind = kind_of(mutex);
  return (kind != RECURSIVE && kind != CHECKS) || !gw_holds(found->instance);
}

EXPORTED int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  int result = real()->pthread_mutex_init(mutex, attributes);
  if (result == 0) thing_made(mutex, GWR_MUTEX, NULL, false);
  return result;
}

EXPORTED int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  thing_gone(mutex);
  return real()->pthread_mutex_destroy(mutex);
}

static int entered(int result, thing *found) {
  if (found != NULL && (result == 0 || result == EOWNERDEAD)) gw_enter(exclusive(found));
  return result;
}

EXPORTED int pthread_mutex_lock(pthread_mutex_t *mutex) {
  thing *found = lock_at(mutex, GWR_MUTEX);
  if (found == NULL) return real()->pthread_mutex_lock(mutex);
  if (can_hang(mutex, found)) ask(found, exclusive(found));
  int result = real()->pthread_mutex_lock(mutex);
  gw_asked();
  return entered(result, found);
}

// A try, or a wait with a timeout, makes no edge.
EXPORTED int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  return entered(real()->pthread_mutex_trylock(mutex), lock_at(mutex, GWR_MUTEX));
}

EXPORTED int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
  return entered(real()->pthread_mutex_timedlock(mutex, until), lock_at(mutex, GWR_MUTEX));
}

EXPORTED int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
  return entered(real()->pthread_mutex_clocklock(mutex, clock, until), lock_at(mutex, GWR_MUTEX));
}

EXPORTED int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  thing *found = record_is_on() ? thing_at(mutex) : NULL;
  if (found != NULL) gw_leave(found->instance);
  return real()->pthread_mutex_unlock(mutex);
}

// MARK: - Read-write locks

EXPORTED int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
  int result = real()->pthread_rwlock_init(lock, attributes);
  if (result == 0) thing_made(lock, GWR_RWLOCK, NULL, false);
  return result;
}

EXPORTED int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
  thing_gone(lock);
  return real()->pthread_rwlock_destroy(lock);
}

// A waiting writer does not count as a barrier. Readers that wait for each other hang behind a waiting writer only if
// the lock prefers writers, and glibc's locks do not by default.
EXPORTED int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  thing *found = lock_at(lock, GWR_RWLOCK);
  if (found == NULL) return real()->pthread_rwlock_rdlock(lock);
  ask(found, shared(found));
  int result = real()->pthread_rwlock_rdlock(lock);
  gw_asked();
  if (result == 0) gw_enter(shared(found));
  return result;
}

EXPORTED int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  thing *found = lock_at(lock, GWR_RWLOCK);
  if (found == NULL) return real()->pthread_rwlock_wrlock(lock);
  // glibc answers EDEADLK to the thread that holds it for writing.
  ask(found, exclusive(found));
  int result = real()->pthread_rwlock_wrlock(lock);
  gw_asked();
  return entered(result, found);
}

static int entered_shared(int result, thing *found) {
  if (found != NULL && result == 0) gw_enter(shared(found));
  return result;
}

EXPORTED int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
  return entered_shared(real()->pthread_rwlock_tryrdlock(lock), lock_at(lock, GWR_RWLOCK));
}

EXPORTED int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until) {
  return entered_shared(real()->pthread_rwlock_timedrdlock(lock, until), lock_at(lock, GWR_RWLOCK));
}

EXPORTED int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
  return entered(real()->pthread_rwlock_trywrlock(lock), lock_at(lock, GWR_RWLOCK));
}

EXPORTED int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until) {
  return entered(real()->pthread_rwlock_timedwrlock(lock, until), lock_at(lock, GWR_RWLOCK));
}

EXPORTED int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  thing *found = record_is_on() ? thing_at(lock) : NULL;
  if (found != NULL) gw_leave(found->instance);
  return real()->pthread_rwlock_unlock(lock);
}

// MARK: - Conditions and threads

// All conditions are one class, because it is unknown which thread will signal one.
static gw_thing anonymous(gwr_kind kind) {
  static uint32_t ids[GWR_BLOCK + 1];
  uint32_t id = __atomic_load_n(&ids[kind], __ATOMIC_ACQUIRE);
  if (id == 0) {
    id = record_class(kind, NULL, kind);
    __atomic_store_n(&ids[kind], id, __ATOMIC_RELEASE);
  }
  return (gw_thing){.instance = kind, .class_id = id};
}

// A wait for a condition leaves the mutex, and asks for it again.
static __attribute__((noinline)) thing *condition_wait(pthread_mutex_t *mutex, bool is_forever) {
  thing *found = record_is_on() ? thing_at(mutex) : NULL;
  if (!record_is_on()) return NULL;
  if (found != NULL && found->kind == GWR_MUTEX) {
    gw_leave(found->instance);
    if (!gw_holds(found->instance)) ask(found, exclusive(found));
  } else {
    found = NULL;
  }
  gw_asked();
  if (!is_forever) return found;
  chain current = current_enter();
  gw_waits(anonymous(GWR_CONDITION));
  record_wait(anonymous(GWR_CONDITION), is_cooperative());
  chain_leave(&current);
  return found;
}

static int condition_waited(int result, thing *found) {
  gw_asked();
  if (found != NULL) gw_enter(exclusive(found));
  return result;
}

EXPORTED int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  thing *found = condition_wait(mutex, true);
  return condition_waited(real()->pthread_cond_wait(condition, mutex), found);
}

EXPORTED int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  thing *found = condition_wait(mutex, false);
  return condition_waited(real()->pthread_cond_timedwait(condition, mutex, until), found);
}

EXPORTED int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
  thing *found = condition_wait(mutex, false);
  return condition_waited(real()->pthread_cond_clockwait(condition, mutex, clock, until), found);
}

EXPORTED int pthread_join(pthread_t thread, void **value) {
  if (!record_is_on()) return real()->pthread_join(thread, value);
  chain current = current_enter();
  gw_waits(anonymous(GWR_THREAD));
  record_wait(anonymous(GWR_THREAD), is_cooperative());
  chain_leave(&current);
  int result = real()->pthread_join(thread, value);
  gw_asked();
  return result;
}
