// Threads. Each holds its own end from its start on, and a join asks for that end.

#include <string.h>

#include "locks.h"
#include "places.h"
#include "queues.h"
#include "record.h"
#include "symbols.h"

// MARK: - The end of a thread

// The thread as an activity: it guards nothing, and only a join asks for it alone.
static gw_thing running(gw_thing thread) {
  thread.is_shared = GW_ACTIVITY;
  return thread;
}

// The threads by their pthread_t. A row keeps its key; the thread with that key changes.
typedef struct row { uintptr_t key; uint64_t instance; uint32_t class_id; } row;
enum { KEYS = 1 << 15, PROBES = 64 };
static row rows[KEYS];
static uint32_t rows_lock;

static void lock_rows(void) {
  while (__atomic_exchange_n(&rows_lock, 1, __ATOMIC_ACQUIRE) != 0) {}
}

static void unlock_rows(void) { __atomic_store_n(&rows_lock, 0, __ATOMIC_RELEASE); }

static row *row_of(pthread_t thread) {
  uintptr_t key = (uintptr_t)thread;
  size_t first = (size_t)((key >> 6) * 0x9E3779B97F4A7C15u >> 40);
  for (size_t probe = 0; probe < PROBES; probe++) {
    row *found = &rows[(first + probe) % KEYS];
    if (found->key == 0) found->key = key;
    if (found->key == key) return found;
  }
  __atomic_fetch_add(&record->lost_things, 1, __ATOMIC_RELAXED);
  return NULL;
}

// Called by both the creator and the thread itself, because either may be first. The creator may even be so late that
// the key belongs to a newer thread.
static void note(pthread_t thread, gw_thing held) {
  lock_rows();
  row *found = row_of(thread);
  if (found != NULL && found->instance < held.instance) {
    found->instance = held.instance;
    found->class_id = held.class_id;
  }
  unlock_rows();
}

static gw_thing thing_of(pthread_t thread) {
  lock_rows();
  const row *found = row_of(thread);
  gw_thing known = {.instance = found == NULL ? 0 : found->instance, .class_id = found == NULL ? 0 : found->class_id};
  unlock_rows();
  return known;
}

// MARK: - Thread start

typedef struct beginning {
  void *(*start)(void *);
  thrd_start_t start_c11;
  void *given;
  gw_thing held;
  struct beginning *next;
  uint32_t frame_count;
  uintptr_t frames[GW_FRAMES];
} beginning;

static beginning *spare;
static uint32_t spare_lock;

static beginning *take_beginning(void) {
  while (__atomic_exchange_n(&spare_lock, 1, __ATOMIC_ACQUIRE) != 0) {}
  beginning *made = spare;
  if (made != NULL) spare = made->next;
  __atomic_store_n(&spare_lock, 0, __ATOMIC_RELEASE);
  return made != NULL ? made : record_memory(sizeof *made);
}

static void put_back(beginning *ended) {
  while (__atomic_exchange_n(&spare_lock, 1, __ATOMIC_ACQUIRE) != 0) {}
  ended->next = spare;
  spare = ended;
  __atomic_store_n(&spare_lock, 0, __ATOMIC_RELEASE);
}

// The thread sanitizer prepares a thread behind this library, and code that runs before then must not allocate.
static bool is_sanitized;

__attribute__((constructor(102))) static void find_sanitizer(void) {
  is_sanitized = record_is_on() && symbol_first("__tsan_init").address != 0;
}

// Returns null if the thread is not followed. Threads of dispatch hold nothing: no thread joins them.
static __attribute__((noinline)) beginning *new_beginning(void *(*start)(void *), thrd_start_t start_c11, void *given) {
  beginning *made = record_is_on() && !is_sanitized && gw_self() != NULL ? take_beginning() : NULL;
  if (made == NULL) return NULL;
  memset(made, 0, sizeof *made);
  place_note_calls();
  made->start = start;
  made->start_c11 = start_c11;
  made->given = given;
  if (record_is_dispatch((uintptr_t)start)) return made;
  const thing *found = thing_made(made, GWR_THREAD, NULL, false);
  if (found == NULL) return made;
  made->held = exclusive(found);
  made->frames[0] = (start != NULL ? (uintptr_t)start : (uintptr_t)start_c11) + 1;
  made->frame_count = 1 + gw_stack(made->frames + 1, GW_FRAMES - 1, 0);
  return made;
}

// The thread gets its record here. Later, its first lock may be the allocator's, and making a record allocates.
static beginning begin(void *given) {
  beginning now = *(beginning *)given;
  put_back(given);
  gw_self();
  place_note_stack();
  if (now.held.instance != 0) {
    note(pthread_self(), now.held);
    gw_enter_at(running(now.held), now.frames, now.frame_count);
  }
  return now;
}

static void *begin_thread(void *given) {
  beginning now = begin(given);
  return now.start(now.given);
}

static int begin_c11_thread(void *given) {
  beginning now = begin(given);
  return now.start_c11(now.given);
}

EXPORTED int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *given) {
  beginning *made = new_beginning(start, NULL, given);
  if (made == NULL) return libc()->pthread_create(thread, attributes, start, given);
  gw_thing held = made->held;
  int result = libc()->pthread_create(thread, attributes, begin_thread, made);
  if (result != 0) put_back(made);
  else if (held.instance != 0) note(*thread, held);
  return result;
}

EXPORTED int thrd_create(thrd_t *thread, thrd_start_t start, void *given) {
  beginning *made = new_beginning(NULL, start, given);
  if (made == NULL) return libc()->thrd_create(thread, start, given);
  gw_thing held = made->held;
  int result = libc()->thrd_create(thread, begin_c11_thread, made);
  if (result != thrd_success) put_back(made);
  else if (held.instance != 0) note(*thread, held);
  return result;
}

// MARK: - Joins

// A join makes its edges even if the thread has ended already. A thread that joins itself gets an error.
static __attribute__((noinline)) void ask_end(pthread_t thread) {
  if (!record_is_on() || gw_self() == NULL || thread == pthread_self()) return;
  gw_thing asked = thing_of(thread);
  if (asked.instance == 0) {
    anonymous_wait(GWR_THREAD);
    return;
  }
  chain current = current_enter();
  gw_ask(asked);
  if (is_cooperative()) record_wait(asked, true);
  chain_leave(&current);
}

EXPORTED int pthread_join(pthread_t thread, void **value) {
  ask_end(thread);
  int result = libc()->pthread_join(thread, value);
  if (record_is_on()) gw_asked();
  return result;
}

EXPORTED int thrd_join(thrd_t thread, int *value) {
  ask_end(thread);
  int result = libc()->thrd_join(thread, value);
  if (record_is_on()) gw_asked();
  return result;
}
