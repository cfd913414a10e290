// The thing behind a lock's address, and what happens to it.

#ifndef GATEHOUSE_LOCKS_H
#define GATEHOUSE_LOCKS_H

#include "things.h"

#pragma GCC visibility push(hidden)

// The lock at an address, or null if it cannot be followed: then it is counted.
thing *lock_at(const void *address, gwr_kind kind);
// The lock at an address, if it was seen before.
thing *lock_seen(const void *address);
// The calling thread is about to wait for the lock.
void lock_ask(thing *found, gw_thing asked);
// All things of one kind without an owner that is known: conditions, barriers, threads that began before the record.
gw_thing anonymous(gwr_kind kind);
// Records a wait for such a thing.
void anonymous_wait(gwr_kind kind);

#pragma GCC visibility pop

#endif
