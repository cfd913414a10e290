// A table of things by address: queues, locks, semaphores, groups.

#ifndef GATEHOUSE_THINGS_H
#define GATEHOUSE_THINGS_H

#include "gatehouse_record.h"

#pragma GCC visibility push(hidden)

typedef struct thing {
  uintptr_t address;      // never changes once it is set
  uint64_t instance;      // 0: the thing is gone
  uint32_t class_id;
  uint32_t kind;          // gwr_kind
  struct thing *target;   // of a queue; the queue of a work item or of an ended operation; a condition's mutex
  gwr_queue *queue;       // its row in the record
  gw_signal *signal;      // made on first use
  uint64_t target_instance;
  uint64_t made_in;       // the number of the hold under which it was made; 0: others know it
  uint64_t frame;         // of a lock on a stack: the call that contains it, see place_frame; 0: unknown
  uint64_t mark;          // of a lock: what was written into it, see marks.h; 0: nothing
  uint64_t last_wait;     // of a queue: the last wait for it, if the queue was not used since; 0: none. Of a mutex of
                          // Foundation: whether its condition was broadcast
} thing;

// Records that the calling thread uses the thing. Returns whether no other thread knows it yet.
bool thing_is_private(thing *given);
// Asks for a thing.
void thing_ask(bool is_private, gw_thing asked);

// The thing at an address, or null.
thing *thing_at(const void *address);
// Records a new thing at the address. A global thing has a class of its own. Returns null if there is no room.
thing *thing_made(const void *address, gwr_kind kind, const char *label, bool is_global);
void thing_gone(const void *address);
// The same for a thing whose memory is used for something else from now on: if the calling thread holds the thing, it
// leaves it, because it can no longer do that itself.
void thing_replaced(const void *address);
gw_signal *thing_signal(thing *given);
// A unique number for a thing without an address.
uint64_t thing_number(void);

static inline gw_thing exclusive(const thing *given) {
  return (gw_thing){.instance = given->instance, .class_id = given->class_id, .made_in = given->made_in};
}
static inline gw_thing shared(const thing *given) {
  gw_thing made = exclusive(given);
  made.is_shared = GW_SHARED;
  return made;
}

#pragma GCC visibility pop

#endif
