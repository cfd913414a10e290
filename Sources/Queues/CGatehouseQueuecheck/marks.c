#include "marks.h"

#include <pthread.h>
#include <stddef.h>

#include "gatehouse_mix.h"

// Locks whose list of locks, or whose owner, the kernel reads, and locks that other processes use.
enum { ROBUST = 16, INHERITS = 32, PROTECTS = 64, SHARED = 128 };

// The unused word of a lock. Null if it has none, as a mutex that the kernel knows.
static uint64_t *word_at(uintptr_t address, uint32_t kind) {
#if defined(__GLIBC__) && defined(__LP64__)
  if (kind == GWR_MUTEX) {
    pthread_mutex_t *mutex = (pthread_mutex_t *)address;
    bool is_plain = (mutex->__data.__kind & (ROBUST | INHERITS | PROTECTS | SHARED)) == 0;
    return is_plain ? (uint64_t *)&mutex->__data.__list.__next : NULL;
  }
  if (kind == GWR_RWLOCK) return (uint64_t *)&((pthread_rwlock_t *)address)->__data.__pad2;
#endif
  return NULL;
}

static uint64_t *word_of(const thing *lock) { return word_at(lock->address, lock->kind); }

bool mark_is_possible(const void *address, gwr_kind kind) {
  return word_at((uintptr_t)address, (uint32_t)kind) != NULL;
}

// The lowest bits of a mark: it is never 0, and a call has initialized the lock.
enum { IS_MARK = 1, IS_MADE = 2 };

void mark_set(thing *lock, bool is_made) {
  uint64_t *word = word_of(lock);
  if (word == NULL) return;
  uint64_t mark = (gw_mix(lock->address ^ gw_mix(lock->instance)) & ~(uint64_t)IS_MADE) | IS_MARK;
  if (is_made) mark |= IS_MADE;
  __atomic_store_n(word, mark, __ATOMIC_RELAXED);
  __atomic_store_n(&lock->mark, mark, __ATOMIC_RELEASE);
}

bool mark_is_of_unmade(const thing *lock) {
  return (__atomic_load_n(&lock->mark, __ATOMIC_RELAXED) & (IS_MARK | IS_MADE)) == IS_MARK;
}

bool mark_is_there(const thing *lock) {
  uint64_t mark = __atomic_load_n(&lock->mark, __ATOMIC_ACQUIRE);
  if (mark == 0) return true;
  const uint64_t *word = word_of(lock);
  return word == NULL || __atomic_load_n(word, __ATOMIC_RELAXED) == mark;
}
