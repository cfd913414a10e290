// The functions that this library replaces. The program finds ours first; `real` has the original ones.

#ifndef GATEHOUSE_REAL_H
#define GATEHOUSE_REAL_H

#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define EXPORTED __attribute__((visibility("default")))

// Declared here because dispatch's headers need a compiler with blocks, and this library is plain C.
typedef struct dispatch_object *object;
typedef void (*function)(void *context);
typedef struct block {
  void *isa;
  int32_t flags, reserved;
  void (*invoke)(struct block *);
} block;
enum { BLOCK_IS_GLOBAL = 1 << 28 };
#define FOREVER (~0ull)

#pragma GCC visibility push(hidden)

#define DISPATCH_FUNCTIONS(_) \
  _(object, dispatch_queue_create, (const char *, object)) \
  _(object, dispatch_queue_create_with_target, (const char *, object, object)) \
  _(object, dispatch_workloop_create, (const char *)) \
  _(void, dispatch_queue_set_width, (object, long)) \
  _(void, dispatch_set_target_queue, (object, object)) \
  _(const char *, dispatch_queue_get_label, (object)) \
  _(object, dispatch_get_current_queue, (void)) \
  _(void, dispatch_suspend, (object)) \
  _(void, dispatch_resume, (object)) \
  _(void, dispatch_release, (object)) \
  _(void, dispatch_main, (void)) \
  _(void, _dispatch_main_queue_callback_4CF, (void *)) \
  _(void, dispatch_assert_queue, (object)) \
  _(void, dispatch_assert_queue_barrier, (object)) \
  _(object, dispatch_source_create, (const void *, uintptr_t, unsigned long, object)) \
  _(void, dispatch_sync, (object, block *)) \
  _(void, dispatch_sync_f, (object, void *, function)) \
  _(void, dispatch_barrier_sync, (object, block *)) \
  _(void, dispatch_barrier_sync_f, (object, void *, function)) \
  _(void, dispatch_async_and_wait, (object, block *)) \
  _(void, dispatch_async_and_wait_f, (object, void *, function)) \
  _(void, dispatch_barrier_async_and_wait, (object, block *)) \
  _(void, dispatch_barrier_async_and_wait_f, (object, void *, function)) \
  _(void, dispatch_async, (object, block *)) \
  _(void, dispatch_async_f, (object, void *, function)) \
  _(void, dispatch_barrier_async, (object, block *)) \
  _(void, dispatch_barrier_async_f, (object, void *, function)) \
  _(void, dispatch_after, (uint64_t, object, block *)) \
  _(void, dispatch_after_f, (uint64_t, object, void *, function)) \
  _(void, dispatch_apply, (size_t, object, block *)) \
  _(void, dispatch_apply_f, (size_t, object, void *, void (*)(void *, size_t))) \
  _(object, dispatch_group_create, (void)) \
  _(void, dispatch_group_async, (object, object, block *)) \
  _(void, dispatch_group_async_f, (object, object, void *, function)) \
  _(void, dispatch_group_enter, (object)) \
  _(void, dispatch_group_leave, (object)) \
  _(intptr_t, dispatch_group_wait, (object, uint64_t)) \
  _(void, dispatch_group_notify, (object, object, block *)) \
  _(void, dispatch_group_notify_f, (object, object, void *, function)) \
  _(object, dispatch_semaphore_create, (intptr_t)) \
  _(intptr_t, dispatch_semaphore_signal, (object)) \
  _(intptr_t, dispatch_semaphore_wait, (object, uint64_t)) \
  _(intptr_t, dispatch_block_wait, (block *, uint64_t)) \
  _(block *, _Block_copy, (const void *)) \
  _(void, _Block_release, (const void *))

#define PTHREAD_FUNCTIONS(_) \
  _(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *)) \
  _(int, pthread_mutex_destroy, (pthread_mutex_t *)) \
  _(int, pthread_mutex_lock, (pthread_mutex_t *)) \
  _(int, pthread_mutex_trylock, (pthread_mutex_t *)) \
  _(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *)) \
  _(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *)) \
  _(int, pthread_mutex_unlock, (pthread_mutex_t *)) \
  _(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *)) \
  _(int, pthread_rwlock_destroy, (pthread_rwlock_t *)) \
  _(int, pthread_rwlock_rdlock, (pthread_rwlock_t *)) \
  _(int, pthread_rwlock_wrlock, (pthread_rwlock_t *)) \
  _(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *)) \
  _(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *)) \
  _(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *)) \
  _(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *)) \
  _(int, pthread_rwlock_unlock, (pthread_rwlock_t *)) \
  _(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *)) \
  _(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *)) \
  _(int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *)) \
  _(int, pthread_join, (pthread_t, void **))

#define FIELD(result, name, arguments) result (*name) arguments;
struct real {
  PTHREAD_FUNCTIONS(FIELD)
  DISPATCH_FUNCTIONS(FIELD)
};
#undef FIELD

extern struct real real_functions;
extern bool real_is_resolved;
void real_resolve(void);
// Whether dispatch was loaded with the program.
bool real_has_dispatch(void);

// Resolved on first use: constructors of other libraries may run, and lock, before ours.
static inline const struct real *real(void) {
  if (__builtin_expect(!__atomic_load_n(&real_is_resolved, __ATOMIC_ACQUIRE), 0)) real_resolve();
  return &real_functions;
}

#pragma GCC visibility pop

#endif
