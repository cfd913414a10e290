#include "things.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "record.h"

// A row keeps its address forever; the thing at that address changes. Pages that are never touched take no memory.
enum { MOST_SLOTS = 1 << 23, FEWEST_SLOTS = 1 << 12, PROBES = 256 };
static thing *table;
static size_t slot_mask;
static uint64_t last_instance = 64;  // lower numbers belong to things without an address

// Makes the table, with as many slots as there is memory for.
static thing *slots(void) {
  static int lock;
  thing *found = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
  if (found != NULL) return found;
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
  for (size_t count = MOST_SLOTS; table == NULL && count >= FEWEST_SLOTS; count /= 2) {
    void *made = mmap(NULL, count * sizeof(thing), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) continue;
    slot_mask = count - 1;
    __atomic_store_n(&table, (thing *)made, __ATOMIC_RELEASE);
  }
  found = table;
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  return found;
}

static size_t first_index(uintptr_t address) {
  return (size_t)((address >> 3) * 0x9E3779B97F4A7C15u >> 32) & slot_mask;
}

thing *thing_at(const void *pointer) {
  uintptr_t address = (uintptr_t)pointer;
  thing *things = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
  if (things == NULL || address == 0) return NULL;
  for (size_t probe = 0, index = first_index(address); probe < PROBES; probe++, index = (index + 1) & slot_mask) {
    uintptr_t found = __atomic_load_n(&things[index].address, __ATOMIC_ACQUIRE);
    if (found == address)
      return __atomic_load_n(&things[index].instance, __ATOMIC_ACQUIRE) != 0 ? &things[index] : NULL;
    if (found == 0) return NULL;
  }
  return NULL;
}

static thing *slot_for(uintptr_t address) {
  thing *things = slots();
  if (things == NULL) return NULL;
  for (size_t probe = 0, index = first_index(address); probe < PROBES; probe++, index = (index + 1) & slot_mask) {
    uintptr_t found = __atomic_load_n(&things[index].address, __ATOMIC_ACQUIRE);
    if (found == 0 &&
        __atomic_compare_exchange_n(&things[index].address, &found, address, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return &things[index];
    if (found == address) return &things[index];
  }
  __atomic_fetch_add(&record->lost_things, 1, __ATOMIC_RELAXED);
  return NULL;
}

uint64_t thing_number(void) { return __atomic_add_fetch(&last_instance, 1, __ATOMIC_RELAXED); }

static thing *make(thing *slot, gwr_kind kind, const char *label, uintptr_t global) {
  __atomic_store_n(&slot->instance, 0, __ATOMIC_RELEASE);
  slot->kind = kind;
  slot->class_id = record_class(kind, label, global);
  slot->target = NULL;
  slot->target_instance = 0;
  slot->frame = 0;
  __atomic_store_n(&slot->mark, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->last_wait, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->made_in, global != 0 ? 0 : gw_innermost(), __ATOMIC_RELAXED);
  if (slot->signal != NULL) memset(slot->signal, 0, sizeof *slot->signal);
  uint64_t instance = thing_number();
  if (kind <= GWR_POOL) {
    if (slot->queue == NULL) slot->queue = record_queue();
    if (slot->queue != NULL) {
      memset(slot->queue, 0, sizeof *slot->queue);
      slot->queue->class_id = slot->class_id;
      __atomic_store_n(&slot->queue->instance, instance, __ATOMIC_RELEASE);
    }
  }
  __atomic_store_n(&slot->instance, instance, __ATOMIC_RELEASE);
  return slot;
}

thing *thing_made(const void *pointer, gwr_kind kind, const char *label, bool is_global) {
  if (!record_is_on()) return NULL;
  thing *slot = slot_for((uintptr_t)pointer);
  if (slot == NULL) return NULL;
  if (!is_global) return make(slot, kind, label, 0);
  // If two threads use a global thing first at the same time, both must get the same thing.
  static int lock;
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
  bool is_there = slot->instance != 0 && slot->kind == (uint32_t)kind;
  if (!is_there) make(slot, kind, label, (uintptr_t)pointer);
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  return slot;
}

void thing_gone(const void *pointer) {
  thing *found = thing_at(pointer);
  if (found != NULL) __atomic_store_n(&found->instance, 0, __ATOMIC_RELEASE);
}

void thing_replaced(const void *pointer) {
  const thing *found = thing_at(pointer);
  if (found == NULL) return;
  if (gw_holds(found->instance)) gw_leave(found->instance);
  thing_gone(pointer);
}

gw_signal *thing_signal(thing *given) {
  gw_signal *signal = __atomic_load_n(&given->signal, __ATOMIC_ACQUIRE);
  if (signal != NULL) return signal;
  gw_signal *made = record_memory(sizeof(gw_signal));
  if (made == NULL) return NULL;
  // If two threads are first at the same time, the memory of one of them stays unused.
  if (__atomic_compare_exchange_n(&given->signal, &signal, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;
  return signal;
}

// A thing is private while the hold lasts under which it was made, as long as no other thread uses it. If another
// thread uses it during that time, it never was private.
bool thing_is_private(thing *given) {
  uint64_t made_in = __atomic_load_n(&given->made_in, __ATOMIC_RELAXED);
  if (made_in == 0) return false;
  if (gw_is_private(made_in)) return true;
  if (gw_lasts(made_in)) record_publish(given->instance);
  __atomic_store_n(&given->made_in, 0, __ATOMIC_RELAXED);
  return false;
}

void thing_ask(bool is_private, gw_thing asked) {
  if (!is_private) asked.made_in = 0;
  gw_ask(asked);
}
