// What lies at an address: queues, locks, semaphores, groups.

#ifndef GATEHOUSE_THINGS_H
#define GATEHOUSE_THINGS_H

#include "gatehouse_record.h"

#pragma GCC visibility push(hidden)

typedef struct thing {
  uintptr_t address;      // never changes once it is set
  uint64_t instance;      // 0: nothing is there any more
  uint32_t class_id;
  uint32_t kind;          // gwr_kind
  struct thing *target;   // of a queue
  gwr_queue *queue;       // its row in the record
  gw_signal *signal;      // made when it is first needed
  uint64_t target_instance;
  uint32_t maker;         // the thread that made it, until another one has to do with it
  uint64_t last_wait;     // of a queue: the wait for it that nobody has used it since; 0: none
} thing;

// Whether nobody but the calling thread, which made it, has had to do with it yet: then nobody can keep it waiting.
bool thing_is_private(thing *thing);
// As thing_is_private says, asks for it, or only says that the thread waits.
void thing_ask(bool is_private, gw_thing asked);

// What lies there, or null.
thing *thing_at(const void *address);
// Something new lies there from now on; a global one is a class of its own. Null when there is no more room.
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
