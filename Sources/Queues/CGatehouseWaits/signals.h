// Shared by the parts of the recorder that know of signals.

#ifndef GATEHOUSE_SIGNALS_H
#define GATEHOUSE_SIGNALS_H

#include "gatehouse_waits.h"

#include <sched.h>

#pragma GCC visibility push(hidden)

// The lock of a signal: held for a few stores, and never across a wait.
static inline void lock_signal(gw_signal *signal) {
  while (__atomic_exchange_n(&signal->lock, 1, __ATOMIC_ACQUIRE) != 0) sched_yield();
}

static inline void unlock_signal(gw_signal *signal) { __atomic_store_n(&signal->lock, 0, __ATOMIC_RELEASE); }

bool gw_can_meet(uint64_t scope, uint64_t other);
void gw_remember(gw_hold *parties, uint8_t *count, const gw_hold *hold, uint64_t scope);

// Gives the sink the edges between the waiters and the givers of a signal, without the signal's lock.
void gw_join(gw_thread *self, gw_signal *signal, gw_thing thing, bool has_new_giver);
// The same for a giver for which there was no room.
void gw_join_lost_giver(gw_thread *self, gw_signal *signal, gw_thing thing, const gw_hold *lost);

#pragma GCC visibility pop

#endif
