// Locks by their addresses, and the events on them.

#ifndef GATEHOUSE_LOCKS_H
#define GATEHOUSE_LOCKS_H

#include "things.h"

#pragma GCC visibility push(hidden)

// The lock at an address. If it cannot be followed, it is counted, and the result is null.
thing *lock_at(const void *address, gwr_kind kind);
// The lock at an address, if it was seen before.
thing *lock_seen(const void *address);
// The lock that the calling thread left last; 0: none.
uint64_t lock_left_last(void);
// Records that the calling thread is about to wait for the lock.
void lock_ask(thing *found, gw_thing asked);
// The thing that represents all things of one kind without a known owner: conditions, barriers, threads that began
// before the record.
gw_thing anonymous(gwr_kind kind);
// Records a wait for such a thing.
void anonymous_wait(gwr_kind kind);

#pragma GCC visibility pop

#endif
