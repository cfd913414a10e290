// The lock of a signal: held for a few stores, and never across a wait.

#ifndef GATEHOUSE_SIGNAL_LOCK_H
#define GATEHOUSE_SIGNAL_LOCK_H

#include "gatehouse_waits.h"

#include <sched.h>

static inline void lock_signal(gw_signal *signal) {
  while (__atomic_exchange_n(&signal->lock, 1, __ATOMIC_ACQUIRE) != 0) sched_yield();
}

static inline void unlock_signal(gw_signal *signal) { __atomic_store_n(&signal->lock, 0, __ATOMIC_RELEASE); }

#endif
