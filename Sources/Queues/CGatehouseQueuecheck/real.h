// The functions that this library replaces. The program finds ours first; `libc` and `real` have the original ones.

#ifndef GATEHOUSE_REAL_H
#define GATEHOUSE_REAL_H

#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
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
struct dl_find_object;

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
  _(block *, dispatch_block_create, (unsigned long, block *)) \
  _(block *, dispatch_block_create_with_qos_class, (unsigned long, unsigned, int, block *)) \
  _(intptr_t, dispatch_block_wait, (block *, uint64_t)) \
  _(void, dispatch_source_set_timer, (object, uint64_t, uint64_t, uint64_t)) \
  _(void, dispatch_source_cancel, (object)) \
  _(block *, _Block_copy, (const void *)) \
  _(void, _Block_release, (const void *))

#define LIBC_FUNCTIONS(_) \
  _(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) \
  _(int, pthread_join, (pthread_t, void **)) \
  _(int, thrd_create, (thrd_t *, thrd_start_t, void *)) \
  _(int, thrd_join, (thrd_t, int *)) \
  _(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *)) \
  _(int, pthread_mutex_destroy, (pthread_mutex_t *)) \
  _(int, pthread_mutex_lock, (pthread_mutex_t *)) \
  _(int, pthread_mutex_trylock, (pthread_mutex_t *)) \
  _(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *)) \
  _(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *)) \
  _(int, pthread_mutex_unlock, (pthread_mutex_t *)) \
  _(int, mtx_init, (mtx_t *, int)) \
  _(void, mtx_destroy, (mtx_t *)) \
  _(int, mtx_lock, (mtx_t *)) \
  _(int, mtx_trylock, (mtx_t *)) \
  _(int, mtx_timedlock, (mtx_t *, const struct timespec *)) \
  _(int, mtx_unlock, (mtx_t *)) \
  _(int, pthread_spin_init, (pthread_spinlock_t *, int)) \
  _(int, pthread_spin_destroy, (pthread_spinlock_t *)) \
  _(int, pthread_spin_lock, (pthread_spinlock_t *)) \
  _(int, pthread_spin_trylock, (pthread_spinlock_t *)) \
  _(int, pthread_spin_unlock, (pthread_spinlock_t *)) \
  _(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *)) \
  _(int, pthread_rwlock_destroy, (pthread_rwlock_t *)) \
  _(int, pthread_rwlock_rdlock, (pthread_rwlock_t *)) \
  _(int, pthread_rwlock_wrlock, (pthread_rwlock_t *)) \
  _(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *)) \
  _(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *)) \
  _(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *)) \
  _(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *)) \
  _(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *)) \
  _(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *)) \
  _(int, pthread_rwlock_unlock, (pthread_rwlock_t *)) \
  _(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *)) \
  _(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *)) \
  _(int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *)) \
  _(int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *)) \
  _(int, pthread_cond_destroy, (pthread_cond_t *)) \
  _(int, pthread_cond_signal, (pthread_cond_t *)) \
  _(int, pthread_cond_broadcast, (pthread_cond_t *)) \
  _(int, cnd_init, (cnd_t *)) \
  _(void, cnd_destroy, (cnd_t *)) \
  _(int, cnd_signal, (cnd_t *)) \
  _(int, cnd_broadcast, (cnd_t *)) \
  _(int, cnd_wait, (cnd_t *, mtx_t *)) \
  _(int, cnd_timedwait, (cnd_t *, mtx_t *, const struct timespec *)) \
  _(int, pthread_barrier_wait, (pthread_barrier_t *)) \
  _(int, pthread_once, (pthread_once_t *, void (*)(void))) \
  _(int, sem_init, (sem_t *, int, unsigned)) \
  _(int, sem_destroy, (sem_t *)) \
  _(int, sem_wait, (sem_t *)) \
  _(int, sem_trywait, (sem_t *)) \
  _(int, sem_timedwait, (sem_t *, const struct timespec *)) \
  _(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *)) \
  _(int, sem_post, (sem_t *)) \
  _(void, free, (void *)) \
  _(void *, realloc, (void *, size_t)) \
  _(size_t, malloc_usable_size, (void *)) \
  _(int, munmap, (void *, size_t)) \
  _(int, execve, (const char *, char *const *, char *const *)) \
  _(int, execv, (const char *, char *const *)) \
  _(int, execvp, (const char *, char *const *)) \
  _(int, execvpe, (const char *, char *const *, char *const *)) \
  _(int, fexecve, (int, char *const *, char *const *)) \
  _(int, posix_spawn, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, \
                       char *const *, char *const *)) \
  _(int, posix_spawnp, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, \
                        char *const *, char *const *)) \
  _(int, _dl_find_object, (void *, struct dl_find_object *))

#define FIELD(result, name, arguments) result (*name) arguments;
struct libc {
  LIBC_FUNCTIONS(FIELD)
};
struct real {
  DISPATCH_FUNCTIONS(FIELD)
};
#undef FIELD

extern struct libc libc_functions;
extern bool libc_is_resolved;
void libc_resolve(void);

extern struct real real_functions;
extern bool real_is_resolved;
void real_resolve(void);
// Whether dispatch was loaded with the program.
bool real_has_dispatch(void);

// Both are resolved on first use: constructors of other libraries may run, and lock, before ours.
static inline const struct libc *libc(void) {
  if (__builtin_expect(!__atomic_load_n(&libc_is_resolved, __ATOMIC_ACQUIRE), 0)) libc_resolve();
  return &libc_functions;
}

// Dispatch's functions. They are looked up again until dispatch is loaded.
static inline const struct real *real(void) {
  if (__builtin_expect(!__atomic_load_n(&real_is_resolved, __ATOMIC_ACQUIRE), 0)) real_resolve();
  return &real_functions;
}

#pragma GCC visibility pop

#endif
