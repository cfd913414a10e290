// The record of each thread: claimed at its first event, freed at its end.

#define _GNU_SOURCE
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

uint32_t gw_switch;
__thread bool gw_is_inside __attribute__((tls_model("initial-exec")));

gw_room gw_own_room;
static gw_thing main_thing;
// The instance of the main queue. It stays the same when another thread drains the queue.
static uint64_t main_instance;
static pthread_key_t at_thread_end;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static __thread gw_thread *mine __attribute__((tls_model("initial-exec")));
static __thread bool is_lost __attribute__((tls_model("initial-exec")));
static gw_losses own_losses;
gw_losses *gw_losses_of_all = &own_losses;
// The number of records that were ever in use. Those beyond it are not read, because reading would take memory.
static uint64_t own_used;

gw_losses gw_lost(void) {
  return (gw_losses){
      .threads = __atomic_load_n(&gw_losses_of_all->threads, __ATOMIC_RELAXED),
      .holds = __atomic_load_n(&gw_losses_of_all->holds, __ATOMIC_RELAXED),
      .edges = __atomic_load_n(&gw_losses_of_all->edges, __ATOMIC_RELAXED)};
}

// The offset of the part of a record that only its own thread reads.
enum { PUBLIC = offsetof(gw_thread, scope) };

// MARK: - Start and end of threads

// The index of the first free record, from 1, in the low half; 0: none. The high half counts the changes, so that a
// thread notices if another one takes that record and puts it back meanwhile.
static uint64_t free_records;

static void put_back(gw_thread *freed) {
  uint64_t index = (uint64_t)(freed - gw_own_room.threads) + 1, next;
  uint64_t first = __atomic_load_n(&free_records, __ATOMIC_RELAXED);
  do {
    PUT(freed->next_free, (uint32_t)first);
    next = ((first >> 32) + 1) << 32 | index;
  } while (!__atomic_compare_exchange_n(&free_records, &first, next, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

// Takes a free record, or one that was never in use. Null if there is none. The number of threads does not matter: a
// look at each record would take longer than the rest of a thread's life if there are twenty thousand.
static gw_thread *take_record(gw_thread *threads) {
  uint64_t first = __atomic_load_n(&free_records, __ATOMIC_ACQUIRE);
  while ((uint32_t)first != 0) {
    gw_thread *found = &threads[(uint32_t)first - 1];
    uint64_t next = ((first >> 32) + 1) << 32 | __atomic_load_n(&found->next_free, __ATOMIC_RELAXED);
    if (__atomic_compare_exchange_n(&free_records, &first, next, true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
      return found;
  }
  uint64_t used = __atomic_load_n(gw_own_room.threads_used, __ATOMIC_RELAXED);
  while (used < gw_own_room.thread_count)
    if (__atomic_compare_exchange_n(
            gw_own_room.threads_used, &used, used + 1, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return &threads[used];
  return NULL;
}

// Frees the record of a thread that ends, for the next new thread. Not before the destructors of the program's own
// thread-local values have run, which may lock: the C library runs up to four rounds of them.
static void thread_ended(void *record) {
  static __thread uint32_t rounds __attribute__((tls_model("initial-exec")));
  gw_thread *ended = record;
  if (++rounds < 3 && pthread_setspecific(at_thread_end, record) == 0) return;
  mine = NULL;
  if (ended->more_at != 0) __atomic_store_n(&gw_own_room.more[ended->more_at - 1].tid, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&ended->tid, 0, __ATOMIC_RELEASE);
  put_back(ended);
}

static void make_key(void) { pthread_key_create(&at_thread_end, thread_ended); }

// Pages that are never touched take no memory.
static void *reserve(size_t size) {
  void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return made == MAP_FAILED ? NULL : made;
}

void gw_threads_begin(gw_room given) {
  enum { THREADS = 1 << 15, MORE = 256 };
  pthread_once(&key_once, make_key);
  if (__atomic_load_n(&gw_own_room.threads, __ATOMIC_ACQUIRE) != NULL) return;
  if (given.threads == NULL) {
    given = (gw_room){.threads = reserve(THREADS * sizeof(gw_thread)), .more = reserve(MORE * sizeof(gw_more))};
    if (given.threads != NULL) given.thread_count = THREADS;
    if (given.more != NULL) given.more_count = MORE;
  }
  gw_own_room.thread_count = given.thread_count;
  gw_own_room.more = given.more;
  gw_own_room.more_count = given.more_count;
  if (given.losses != NULL) gw_losses_of_all = given.losses;
  gw_own_room.threads_used = given.threads_used != NULL ? given.threads_used : &own_used;
  __atomic_store_n(&gw_own_room.threads, given.threads, __ATOMIC_RELEASE);
}

void gw_threads_forked(void) {
  __atomic_store_n(&gw_own_room.threads, NULL, __ATOMIC_RELEASE);
  __atomic_store_n(&free_records, 0, __ATOMIC_RELAXED);
  own_used = 0;
  mine = NULL;
  pthread_setspecific(at_thread_end, NULL);
}

// pthread_getattr_np allocates, and this may be called while an allocator holds its own lock. So the caller sets
// `gw_is_inside` first.
static void find_stack(gw_thread *self) {
  pthread_attr_t attributes;
  void *low = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    self->stack_low = (uintptr_t)low;
    self->stack_high = (uintptr_t)low + size;
  }
  pthread_attr_destroy(&attributes);
}

// The number of records that may be in use.
static size_t used_records(void) {
  return __atomic_load_n(&gw_own_room.threads, __ATOMIC_ACQUIRE) == NULL
    ? 0 : __atomic_load_n(gw_own_room.threads_used, __ATOMIC_ACQUIRE);
}

static gw_thread *new_record(void) {
  gw_thread *threads = __atomic_load_n(&gw_own_room.threads, __ATOMIC_ACQUIRE);
  if (threads == NULL || gw_is_inside || is_lost) return NULL;
  gw_is_inside = true;
  gw_thread *found = take_record(threads);
  if (found != NULL) {
    PUT(found->depth, 0);
    PUT(found->beyond, 0);
    PUT(found->more_at, 0);
    PUT(found->asking_since, 0);
    PUT(found->asking_limited, 0);
    // The numbers of holds go on where those of the record's last thread ended.
    uint64_t holds_begun = found->holds_begun;
    memset((char *)found + PUBLIC, 0, sizeof(gw_thread) - PUBLIC);
    found->holds_begun = holds_begun;
    find_stack(found);
    __atomic_store_n(&found->tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    pthread_setspecific(at_thread_end, found);
    mine = found;
    gw_hold_main(found);
  } else {
    is_lost = true;
    LOST(threads);
  }
  gw_is_inside = false;
  return found;
}

gw_thread *gw_self(void) {
  if (gw_is_inside) return NULL;
  return mine != NULL ? mine : new_record();
}

bool gw_claim_more(gw_thread *self) {
  if (self->more_at != 0) return true;
  for (size_t index = 0; index < gw_own_room.more_count; index++) {
    gw_more *found = &gw_own_room.more[index];
    uint32_t unused = 0;
    if (__atomic_load_n(&found->tid, __ATOMIC_RELAXED) != 0) continue;
    if (!__atomic_compare_exchange_n(&found->tid, &unused, gw_tid(self), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    PUT(self->more_at, (uint32_t)index + 1);
    return true;
  }
  return false;
}

uint64_t gw_first_number(const gw_thread *self) { return ((uint64_t)(self - gw_own_room.threads) + 1) << HOLD_BITS; }

// MARK: - The main thread

void gw_hold_main(gw_thread *self) {
  if (gw_tid(self) != (uint32_t)getpid() || main_thing.instance == 0 || self->depth >= GW_HOLDS) return;
  for (uint32_t index = 0; index < self->depth; index++)
    if (self->holds[index].thing.instance == main_thing.instance) return;
  for (uint32_t index = self->depth; index > 0; index--)
    put_words(&self->holds[index], &self->holds[index - 1], sizeof(gw_hold));
  const gw_hold main_hold = {.thing = main_thing, .is_ambient = 1};
  put_words(&self->holds[0], &main_hold, sizeof main_hold);
  PUT(self->depth, self->depth + 1);
}

void gw_set_main(gw_thing thing) {
  main_thing = thing;
  if (thing.instance != 0) __atomic_store_n(&main_instance, thing.instance, __ATOMIC_RELAXED);
  gw_thread *self = gw_self();
  if (self != NULL) gw_hold_main(self);
}

void gw_declare_main(void) {
  gw_thread *self = gw_self();
  for (uint32_t index = 0; self != NULL && index < self->depth; index++) {
    gw_hold *hold = hold_at(self, index);
    if (gw_is_main(hold->thing.instance) && !hold->is_ambient) PUT(hold->is_declared, 1);
  }
}

bool gw_is_main(uint64_t instance) { return instance == __atomic_load_n(&main_instance, __ATOMIC_RELAXED); }

bool gw_is_main_thread(void) { return gw_thread_id() == (uint32_t)getpid(); }

// MARK: - Reading the records

uint32_t gw_threads(gw_thread *copies, uint32_t count) {
  gw_thread *threads = __atomic_load_n(&gw_own_room.threads, __ATOMIC_ACQUIRE);
  uint32_t found = 0;
  for (size_t index = 0, used = used_records(); index < used && found < count; index++) {
    if (__atomic_load_n(&threads[index].tid, __ATOMIC_ACQUIRE) == 0) continue;
    // Each word is read atomically, but the record as a whole is not: the thread cannot be stopped for this, because it
    // may be the one that hangs.
    const any_word *from = (const any_word *)&threads[index];
    any_word *to = (any_word *)&copies[found];
    for (size_t word = 0; word < PUBLIC / sizeof(any_word); word++)
      to[word] = __atomic_load_n(&from[word], __ATOMIC_RELAXED);
    memset(to + PUBLIC / sizeof(any_word), 0, sizeof(gw_thread) - PUBLIC);
    found++;
  }
  return found;
}

static bool has_hold(const gw_thread *thread, uint64_t number) {
  uint32_t depth = __atomic_load_n(&thread->depth, __ATOMIC_RELAXED);
  for (uint32_t index = 0; index < depth && index < GW_HOLDS; index++)
    if (__atomic_load_n(&thread->holds[index].number, __ATOMIC_RELAXED) == number) return true;
  return false;
}

// A number begins with that of the record, see next_number.
bool gw_lasts(uint64_t made_in) {
  const gw_thread *threads = __atomic_load_n(&gw_own_room.threads, __ATOMIC_ACQUIRE);
  uint64_t record = made_in >> HOLD_BITS;
  if (record == 0 || record > used_records()) return false;
  const gw_thread *found = &threads[record - 1];
  return __atomic_load_n(&found->tid, __ATOMIC_ACQUIRE) != 0 && has_hold(found, made_in);
}

// MARK: - About the calling thread

uint64_t gw_scope(void) { return mine == NULL ? 0 : mine->scope; }

void gw_set_scope(uint64_t scope) {
  gw_thread *self = gw_self();
  if (self != NULL) self->scope = scope;
}

static __thread uint32_t run __attribute__((tls_model("initial-exec")));
static __thread uint32_t runs_begun __attribute__((tls_model("initial-exec")));

uint32_t gw_run(void) { return run; }

uint32_t gw_begin_run(void) {
  uint32_t outer = run;
  run = ++runs_begun;
  return outer;
}

void gw_end_run(uint32_t outer) { run = outer; }

bool gw_lives(uint32_t tid) {
  int before = errno;
  bool lives = syscall(SYS_tgkill, getpid(), tid, 0) == 0 || errno != ESRCH;
  errno = before;
  return lives;
}

uint32_t gw_thread_id(void) { return (uint32_t)syscall(SYS_gettid); }

bool gw_stay_here(void) {
  int processor = sched_getcpu();
  if (processor < 0 || processor >= CPU_SETSIZE) return false;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  return sched_setaffinity(0, sizeof only, &only) == 0;
}
