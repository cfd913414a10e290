// The C library's semaphores that sem_init made for one process. Shared and named ones are passed on without a record:
// another program may post them.

#include <errno.h>

#include "queues.h"
#include "record.h"
#include "signals.h"

// Whether the calling thread is in the recorder. A signal handler may post a semaphore at that moment.
static __thread bool is_busy __attribute__((tls_model("initial-exec")));

// The semaphore at an address, if it is recorded. Dispatch's own threads wait for such semaphores; they are not
// recorded.
static thing *seen(const void *address, const void *caller) {
  if (!record_is_on() || is_busy || record_is_dispatch((uintptr_t)caller) || gw_self() == NULL) return NULL;
  thing *found = thing_at(address);
  return found != NULL && (found->kind == GWR_SEMAPHORE || found->kind == GWR_LOCK_SEMAPHORE) ? found : NULL;
}

EXPORTED int sem_init(sem_t *semaphore, int is_process_shared, unsigned count) {
  int result = libc()->sem_init(semaphore, is_process_shared, count);
  if (result != 0 || !record_is_on() || CALLED_BY_DISPATCH) return result;
  is_busy = true;
  // Make the signal now: its memory must not be allocated in a signal handler.
  thing *found = is_process_shared ? NULL : semaphore_made(semaphore, count);
  if (found == NULL) thing_gone(semaphore);
  else thing_signal(found);
  is_busy = false;
  return result;
}

EXPORTED int sem_destroy(sem_t *semaphore) {
  if (!CALLED_BY_DISPATCH) thing_gone(semaphore);
  return libc()->sem_destroy(semaphore);
}

typedef struct wait { thing *found; bool is_lock; } wait;

static __attribute__((noinline)) wait ask(thing *found, bool is_forever) {
  wait now = {.found = found};
  if (found == NULL) return now;
  is_busy = true;
  now.is_lock = semaphore_ask(found, is_forever);
  is_busy = false;
  return now;
}

static __attribute__((noinline)) int waited(int result, wait now) {
  if (now.found == NULL) return result;
  int before = errno;
  is_busy = true;
  semaphore_waited(now.found, result == 0, now.is_lock);
  is_busy = false;
  errno = before;
  return result;
}

EXPORTED int sem_wait(sem_t *semaphore) {
  if (record_is_in_child()) record_child_asks(false);
  wait now = ask(seen(semaphore, __builtin_return_address(0)), true);
  return waited(libc()->sem_wait(semaphore), now);
}

EXPORTED int sem_trywait(sem_t *semaphore) {
  wait now = ask(seen(semaphore, __builtin_return_address(0)), false);
  return waited(libc()->sem_trywait(semaphore), now);
}

EXPORTED int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
  wait now = ask(seen(semaphore, __builtin_return_address(0)), false);
  return waited(libc()->sem_timedwait(semaphore, until), now);
}

EXPORTED int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
  wait now = ask(seen(semaphore, __builtin_return_address(0)), false);
  return waited(libc()->sem_clockwait(semaphore, clock, until), now);
}

EXPORTED int sem_post(sem_t *semaphore) {
  thing *found = seen(semaphore, __builtin_return_address(0));
  if (found != NULL) {
    is_busy = true;
    semaphore_given(found);
    is_busy = false;
  }
  return libc()->sem_post(semaphore);
}
