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
  struct thing *target;   // of a queue
  gwr_queue *queue;       // its row in the record
  gw_signal *signal;      // made on first use
  uint64_t target_instance;
  uint32_t maker;         // the thread that made it, until another thread uses it
  uint64_t last_wait;     // of a queue: the last wait for it, if the queue was not used since; 0: none
} thing;

// Whether the calling thread made the thing and no other thread has used it yet. Then a wait for it cannot block.
bool thing_is_private(thing *thing);
// Asks for a thing; for a private one it only records that the thread waits.
void thing_ask(bool is_private, gw_thing asked);

// The thing at an address, or null.
thing *thing_at(const void *address);
// A new thing is at the address from now on. A global one has a class of its own. Null when there is no more room.
thing *thing_made(const void *address, gwr_kind kind, const char *label, bool is_global);
void thing_gone(const void *address);
gw_signal *thing_signal(thing *thing);

static inline gw_thing exclusive(const thing *thing) {
  return (gw_thing){.instance = thing->instance, .class_id = thing->class_id};
}
static inline gw_thing shared(const thing *thing) {
  return (gw_thing){.instance = thing->instance, .class_id = thing->class_id, .is_shared = 1};
}

#pragma GCC visibility pop

#endif
