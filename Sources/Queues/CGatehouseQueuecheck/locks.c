// Mutexes, read-write locks and spin locks: pthread's and C11's.

#include "locks.h"

#include <errno.h>

#include "heap.h"
#include "marks.h"
#include "once.h"
#include "operations.h"
#include "places.h"
#include "queues.h"
#include "record.h"

// MARK: - The lock at an address

// Whether a lock on a stack is still the lock of the recorded call. Only the stack's own thread can tell: another
// thread knows the lock only during that call.
static bool is_same_call(const thing *found) {
  if (found->frame == 0) return true;
  uint64_t frame = place_frame(found->address);
  return frame == 0 || frame == found->frame;
}

static bool is_known(const thing *found, gwr_kind kind) {
  return found != NULL && found->kind == (uint32_t)kind && is_same_call(found) && mark_is_there(found);
}

// The address of a lock that no call initialized, as far as it is known.
typedef struct location {
  bool is_global;
  bool is_small;   // of a spin lock: there is no room for a mark
  uint64_t frame;  // see place_frame
} location;

// The lock at an address, recorded now if it is new. Its creation was not seen. Other threads may know it, so it is not
// private. Another lock that is first taken at this call may have been made elsewhere. A global variable has one lock,
// unless it had another one before.
//
// If two threads use the lock first at the same time, both must get the same thing. Otherwise one thread would leave
// another lock than it entered, and hold that one forever.
static thing *found_at(const void *address, gwr_kind kind, location at) {
  static uint32_t lock;
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0) {}
  thing *found = thing_at(address);
  if (!is_known(found, kind)) {
    bool was_another = found != NULL && found->kind == (uint32_t)kind;
    thing_replaced(address);
    found = thing_made(address, kind, NULL, at.is_global);
    gwr_class *row = found == NULL ? NULL : record_class_row(found->class_id);
    if (row != NULL && (!at.is_global || was_another)) row->is_instance_only = 1;
    if (row != NULL && at.is_small && (!at.is_global || was_another)) row->is_doubtful = 1;
    if (found != NULL) {
      found->made_in = 0;
      found->frame = at.frame;
      if (!at.is_small) mark_set(found, false);
    }
  }
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  return found;
}

// A lock that no call initialized is followed by its address for as long as the address means the same lock. A mark
// shows that, wherever the lock is. A lock without room for one is followed while its image is loaded, until its memory
// is freed, or during one call of a function.
static __attribute__((noinline)) thing *first_seen(const void *address, gwr_kind kind, bool is_small) {
  uintptr_t at = (uintptr_t)address;
  if (place_is_in_image(at)) return found_at(address, kind, (location){.is_global = true, .is_small = is_small});
  if (record_is_in_runtime()) return NULL;
  bool is_marked = !is_small && mark_is_possible(address, kind), is_on_stack = place_is_on_stack(at);
  location place = {.frame = is_on_stack && !is_marked ? place_frame(at) : 0, .is_small = is_small};
  bool is_freed = !is_on_stack && heap_follow(at);
  thing *found = is_marked || is_freed || place.frame != 0 ? found_at(address, kind, place) : NULL;
  if (found == NULL) __atomic_fetch_add(&record->unknown_locks, 1, __ATOMIC_RELAXED);
  return found;
}

static thing *any_lock_at(const void *address, gwr_kind kind, bool is_small) {
  // Without a record, the thread is inside the recorder, which may have called a function that locks.
  if (!record_is_on() || gw_self() == NULL) return NULL;
  thing *found = thing_at(address);
  return is_known(found, kind) ? found : first_seen(address, kind, is_small);
}

thing *lock_at(const void *address, gwr_kind kind) { return any_lock_at(address, kind, false); }

thing *lock_seen(const void *address) { return record_is_on() ? thing_at(address) : NULL; }

void lock_ask(thing *found, gw_thing asked) {
  once_unwound();
  chain current = current_enter();
  thing_ask(thing_is_private(found), asked);
  chain_leave(&current);
}

// Records a lock that a call has initialized. Whatever the address was before has ended. So has this lock, once its
// mark is gone.
static void lock_made(const void *address, gwr_kind kind, bool is_small) {
  thing_replaced(address);
  thing *made = thing_made(address, kind, NULL, false);
  if (made != NULL && !is_small) mark_set(made, true);
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

static int entered(int result, thing *found) {
  if (found != NULL && (result == 0 || result == EOWNERDEAD)) gw_enter(exclusive(found));
  return result;
}

static __thread uint64_t left_last __attribute__((tls_model("initial-exec")));
uint64_t lock_left_last(void) { return left_last; }

static void left(const void *address) {
  if (record_is_in_child()) record_child_leaves();
  const thing *found = lock_seen(address);
  if (found == NULL) return;
  gw_leave(found->instance);
  left_last = found->instance;
}

static int waited(int result, thing *found) {
  if (found != NULL) gw_asked();
  return entered(result, found);
}

// Asks for a mutex. Returns the mutex if it is followed. A C11 mutex is a pthread mutex.
static thing *ask_mutex(void *mutex) {
  if (record_is_in_child()) record_child_asks(true);
  thing *found = lock_at(mutex, GWR_MUTEX);
  if (found != NULL && can_hang(mutex, found)) lock_ask(found, exclusive(found));
  return found;
}

EXPORTED int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  int result = libc()->pthread_mutex_init(mutex, attributes);
  if (result == 0) lock_made(mutex, GWR_MUTEX, false);
  return result;
}

EXPORTED int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  thing_gone(mutex);
  return libc()->pthread_mutex_destroy(mutex);
}

EXPORTED int pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (is_foundation((uintptr_t)__builtin_return_address(0))) operations_locked(mutex);
  thing *found = ask_mutex(mutex);
  return waited(libc()->pthread_mutex_lock(mutex), found);
}

// A try, or a wait with a timeout, makes no edge.
EXPORTED int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  return entered(libc()->pthread_mutex_trylock(mutex), lock_at(mutex, GWR_MUTEX));
}

EXPORTED int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
  return entered(libc()->pthread_mutex_timedlock(mutex, until), lock_at(mutex, GWR_MUTEX));
}

EXPORTED int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
  return entered(libc()->pthread_mutex_clocklock(mutex, clock, until), lock_at(mutex, GWR_MUTEX));
}

EXPORTED int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  left(mutex);
  uintptr_t caller = (uintptr_t)__builtin_return_address(0);
  if (!is_foundation(caller)) return libc()->pthread_mutex_unlock(mutex);
  int result = libc()->pthread_mutex_unlock(mutex);
  operations_unlocked(mutex, caller);
  return result;
}

EXPORTED int mtx_init(mtx_t *mutex, int type) {
  int result = libc()->mtx_init(mutex, type);
  if (result == thrd_success) lock_made(mutex, GWR_MUTEX, false);
  return result;
}

EXPORTED void mtx_destroy(mtx_t *mutex) {
  thing_gone(mutex);
  libc()->mtx_destroy(mutex);
}

EXPORTED int mtx_lock(mtx_t *mutex) {
  thing *found = ask_mutex(mutex);
  return waited(libc()->mtx_lock(mutex), found);
}

EXPORTED int mtx_trylock(mtx_t *mutex) {
  return entered(libc()->mtx_trylock(mutex), lock_at(mutex, GWR_MUTEX));
}

EXPORTED int mtx_timedlock(mtx_t *mutex, const struct timespec *until) {
  return entered(libc()->mtx_timedlock(mutex, until), lock_at(mutex, GWR_MUTEX));
}

EXPORTED int mtx_unlock(mtx_t *mutex) {
  left(mutex);
  return libc()->mtx_unlock(mutex);
}

// MARK: - Spin locks

static thing *spin_lock_at(pthread_spinlock_t *lock) { return any_lock_at((const void *)lock, GWR_MUTEX, true); }

EXPORTED int pthread_spin_init(pthread_spinlock_t *lock, int is_process_shared) {
  int result = libc()->pthread_spin_init(lock, is_process_shared);
  if (result == 0) lock_made((const void *)lock, GWR_MUTEX, true);
  return result;
}

EXPORTED int pthread_spin_destroy(pthread_spinlock_t *lock) {
  thing_gone((const void *)lock);
  return libc()->pthread_spin_destroy(lock);
}

EXPORTED int pthread_spin_lock(pthread_spinlock_t *lock) {
  if (record_is_in_child()) record_child_asks(true);
  thing *found = spin_lock_at(lock);
  if (found != NULL) lock_ask(found, exclusive(found));
  return waited(libc()->pthread_spin_lock(lock), found);
}

EXPORTED int pthread_spin_trylock(pthread_spinlock_t *lock) {
  return entered(libc()->pthread_spin_trylock(lock), spin_lock_at(lock));
}

EXPORTED int pthread_spin_unlock(pthread_spinlock_t *lock) {
  left((const void *)lock);
  return libc()->pthread_spin_unlock(lock);
}

// MARK: - Read-write locks

EXPORTED int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
  int result = libc()->pthread_rwlock_init(lock, attributes);
  if (result == 0) lock_made(lock, GWR_RWLOCK, false);
  return result;
}

EXPORTED int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
  thing_gone(lock);
  return libc()->pthread_rwlock_destroy(lock);
}

static int entered_shared(int result, thing *found) {
  if (found != NULL && result == 0) gw_enter(shared(found));
  return result;
}

// If the lock prefers writers, a waiting writer counts as a barrier: readers then wait for each other behind it.
// glibc's locks do not prefer writers by default.
static void note_writer(const pthread_rwlock_t *lock, const thing *found) {
  gwr_class *row = found == NULL ? NULL : record_class_row(found->class_id);
  if (row != NULL && lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
    __atomic_store_n(&row->has_barriers, 1, __ATOMIC_RELAXED);
}

// glibc returns EDEADLK at once to a thread that already holds the lock for writing, so that thread does not wait. A
// thread that holds it for reading and asks to write hangs.
static void ask_read_write(thing *found, bool writes) {
  if (found != NULL && !gw_holds_alone(found->instance)) lock_ask(found, writes ? exclusive(found) : shared(found));
}

EXPORTED int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  if (record_is_in_child()) record_child_asks(true);
  thing *found = lock_at(lock, GWR_RWLOCK);
  ask_read_write(found, false);
  int result = libc()->pthread_rwlock_rdlock(lock);
  if (found != NULL) gw_asked();
  return entered_shared(result, found);
}

EXPORTED int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  if (record_is_in_child()) record_child_asks(true);
  thing *found = lock_at(lock, GWR_RWLOCK);
  note_writer(lock, found);
  ask_read_write(found, true);
  return waited(libc()->pthread_rwlock_wrlock(lock), found);
}

#define TRIES(name, parameters, arguments, end) \
  EXPORTED int name parameters { return end(libc()->name arguments, lock_at(lock, GWR_RWLOCK)); }
#define TIMED (pthread_rwlock_t * lock, const struct timespec *until)
#define CLOCKED (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until)
TRIES(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock), entered_shared)
TRIES(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock), entered)
TRIES(pthread_rwlock_timedrdlock, TIMED, (lock, until), entered_shared)
TRIES(pthread_rwlock_timedwrlock, TIMED, (lock, until), entered)
TRIES(pthread_rwlock_clockrdlock, CLOCKED, (lock, clock, until), entered_shared)
TRIES(pthread_rwlock_clockwrlock, CLOCKED, (lock, clock, until), entered)

EXPORTED int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  left(lock);
  return libc()->pthread_rwlock_unlock(lock);
}
