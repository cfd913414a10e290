#include "things.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "record.h"

// An address keeps its row for ever; the thing at that address changes. Pages that are never touched take no memory.
enum { SLOTS = 1 << 19, PROBES = 256 };
static thing *table;
static uint64_t last_instance = 64;  // lower numbers belong to things without an address

static thing *slots(void) {
  thing *found = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
  if (found != NULL) return found;
  void *made = mmap(NULL, SLOTS * sizeof(thing), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) return NULL;
  if (__atomic_compare_exchange_n(&table, &found, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return made;
  munmap(made, SLOTS * sizeof(thing));
  return found;
}

static size_t first_index(uintptr_t address) {
  return (size_t)((address >> 3) * 0x9E3779B97F4A7C15u >> 32) & (SLOTS - 1);
}

thing *thing_at(const void *pointer) {
  uintptr_t address = (uintptr_t)pointer;
  thing *things = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
  if (things == NULL || address == 0) return NULL;
  for (size_t probe = 0, index = first_index(address); probe < PROBES; probe++, index = (index + 1) & (SLOTS - 1)) {
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
  for (size_t probe = 0, index = first_index(address); probe < PROBES; probe++, index = (index + 1) & (SLOTS - 1)) {
    uintptr_t found = __atomic_load_n(&things[index].address, __ATOMIC_ACQUIRE);
    if (found == 0 &&
        __atomic_compare_exchange_n(&things[index].address, &found, address, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return &things[index];
    if (found == address) return &things[index];
  }
  return NULL;
}

thing *thing_made(const void *pointer, gwr_kind kind, const char *label, bool is_global) {
  if (!record_is_on()) return NULL;
  thing *slot = slot_for((uintptr_t)pointer);
  if (slot == NULL) return NULL;
  __atomic_store_n(&slot->instance, 0, __ATOMIC_RELEASE);
  slot->kind = kind;
  slot->class_id = record_class(kind, label, is_global ? (uintptr_t)pointer : 0);
  slot->target = NULL;
  slot->target_instance = 0;
  __atomic_store_n(&slot->last_wait, 0, __ATOMIC_RELAXED);
  gw_thread *self = gw_self();
  __atomic_store_n(&slot->maker, is_global || self == NULL ? 0 : gw_tid(self), __ATOMIC_RELAXED);
  if (slot->signal != NULL) memset(slot->signal, 0, sizeof *slot->signal);
  uint64_t instance = __atomic_add_fetch(&last_instance, 1, __ATOMIC_RELAXED);
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

void thing_gone(const void *pointer) {
  thing *found = thing_at(pointer);
  if (found != NULL) __atomic_store_n(&found->instance, 0, __ATOMIC_RELEASE);
}

gw_signal *thing_signal(thing *thing) {
  gw_signal *signal = __atomic_load_n(&thing->signal, __ATOMIC_ACQUIRE);
  if (signal != NULL) return signal;
  gw_signal *made = record_memory(sizeof(gw_signal));
  if (made == NULL) return NULL;
  // If two threads are first at once, the memory of one of them stays unused.
  if (__atomic_compare_exchange_n(&thing->signal, &signal, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;
  return signal;
}

bool thing_is_private(thing *thing) {
  uint32_t maker = __atomic_load_n(&thing->maker, __ATOMIC_RELAXED);
  gw_thread *self = maker == 0 ? NULL : gw_self();
  if (self == NULL) return false;
  if (gw_tid(self) == maker) return true;
  __atomic_store_n(&thing->maker, 0, __ATOMIC_RELAXED);
  return false;
}

void thing_ask(bool is_private, gw_thing asked) {
  if (is_private && !gw_holds(asked.instance)) gw_waits(asked);
  else gw_ask(asked);
}
