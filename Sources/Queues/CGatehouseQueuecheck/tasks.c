#include "tasks.h"

#include "record.h"

// From Swift's runtime; null if the program does not have it.
extern void *swift_task_getCurrent(void) __attribute__((weak));

static const void *current_task(void) { return swift_task_getCurrent == NULL ? NULL : swift_task_getCurrent(); }

// A semaphore that a task holds. A row without a task tells a thread that its task has gone on elsewhere.
typedef struct held {
  const void *task;
  uint32_t on;      // the thread that holds the semaphore for the task; 0: none
  uint32_t is_used;
  gw_hold hold;
} held;
enum { HELD = 1 << 10 };
static held all[HELD];
static uint32_t used, all_lock;
static uint64_t version;  // the number of changes; 0: no task has held a semaphore yet

// The task that the thread has followed last, and the version of the rows at that time.
static __thread const void *followed __attribute__((tls_model("initial-exec")));
static __thread uint64_t followed_at __attribute__((tls_model("initial-exec")));
// Whether the thread is in here. A signal handler may give a semaphore at that moment.
static __thread bool is_busy __attribute__((tls_model("initial-exec")));

static void lock_all(void) {
  while (__atomic_exchange_n(&all_lock, 1, __ATOMIC_ACQUIRE) != 0) {}
}

static void unlock_all(void) { __atomic_store_n(&all_lock, 0, __ATOMIC_RELEASE); }

// Changes to the rows are made under the lock.
static void changed(void) { __atomic_fetch_add(&version, 1, __ATOMIC_RELEASE); }

static void add(held row) {
  for (uint32_t index = 0; index < HELD; index++) {
    if (all[index].is_used) continue;
    all[index] = row;
    all[index].is_used = 1;
    if (used <= index) used = index + 1;
    return changed();
  }
  __atomic_fetch_add(&record->lost_things, 1, __ATOMIC_RELAXED);
}

static const gw_hold *hold_of(const gw_thread *self, uint64_t instance) {
  for (uint32_t index = 0; index < self->depth && index < GW_HOLDS; index++)
    if (self->holds[index].thing.instance == instance) return &self->holds[index];
  return NULL;
}

void tasks_took(uint64_t instance) {
  const gw_thread *self = record_is_on() && !is_busy ? gw_self() : NULL;
  const void *task = self == NULL ? NULL : current_task();
  const gw_hold *hold = task == NULL ? NULL : hold_of(self, instance);
  if (hold == NULL) return;
  is_busy = true;
  lock_all();
  add((held){.task = task, .on = gw_tid(self), .hold = *hold});
  unlock_all();
  is_busy = false;
}

void tasks_gave(uint64_t instance) {
  if (__atomic_load_n(&version, __ATOMIC_ACQUIRE) == 0 || is_busy) return;
  is_busy = true;
  lock_all();
  for (uint32_t index = 0; index < used; index++)
    if (all[index].is_used && all[index].task != NULL && all[index].hold.thing.instance == instance) {
      all[index].is_used = 0;
      changed();
    }
  unlock_all();
  is_busy = false;
}

// Leaves what the thread holds for other tasks than this one.
static void leave_others(uint32_t tid, const void *task) {
  for (uint32_t index = 0; index < used; index++) {
    held *row = &all[index];
    if (!row->is_used || row->on != tid || (row->task == task && task != NULL)) continue;
    gw_leave(row->hold.thing.instance);
    row->on = 0;
    if (row->task == NULL) row->is_used = 0;
    changed();
  }
}

// Holds what the task holds.
static void enter_own(uint32_t tid, const void *task) {
  for (uint32_t index = 0; index < used; index++) {
    held *row = &all[index];
    if (!row->is_used || row->task != task || row->on == tid) continue;
    if (row->on != 0) add((held){.on = row->on, .hold = row->hold});
    row->on = tid;
    changed();
    if (!gw_holds(row->hold.thing.instance)) gw_enter_at(row->hold.thing, row->hold.frames, row->hold.frame_count);
  }
}

static __attribute__((noinline)) void follow(const void *task) {
  const gw_thread *self = record_is_on() ? gw_self() : NULL;
  if (self == NULL) return;
  is_busy = true;
  lock_all();
  leave_others(gw_tid(self), task);
  if (task != NULL) enter_own(gw_tid(self), task);
  followed = task;
  followed_at = __atomic_load_n(&version, __ATOMIC_RELAXED);
  unlock_all();
  is_busy = false;
}

void tasks_follow(void) {
  uint64_t now = __atomic_load_n(&version, __ATOMIC_ACQUIRE);
  if (__builtin_expect(now == 0, 1) || is_busy) return;
  const void *task = current_task();
  if (task != followed || now != followed_at) follow(task);
}

void tasks_ended(void) {
  if (__atomic_load_n(&version, __ATOMIC_ACQUIRE) != 0 && !is_busy) follow(NULL);
}
