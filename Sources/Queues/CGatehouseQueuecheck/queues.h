// The queues that the calling thread runs on, and the chain of targets that a wait for a queue waits for.

#ifndef GATEHOUSE_QUEUES_H
#define GATEHOUSE_QUEUES_H

#include "real.h"
#include "things.h"

#pragma GCC visibility push(hidden)

enum { CHAIN = 8 };

// A queue and its targets, the last target first. A block that runs on the queue holds all of them.
typedef struct chain {
  uint32_t count;
  gw_thing things[CHAIN];
  bool are_private[CHAIN];
} chain;

// Call once, before the program's own code runs.
void queues_begin(void);

chain chain_of(object queue, bool is_barrier);
uint64_t chain_ask(const chain *chain);
void chain_enter(const chain *chain, const uintptr_t *frames, uint32_t count);
void chain_leave(const chain *chain);

// Enters the queue that the calling thread runs on when no block of ours began there: a work item, or the handler of a
// source. The caller leaves the returned chain afterwards.
chain current_enter(void);

// Leaves the main queue while the main thread gives a signal outside of a block of that queue: such a signal did not
// wait for a turn on the queue. Returns whether it left; then undo it with main_step_back.
bool main_step_out(void);
void main_step_back(void);

// Whether the calling thread runs a job of Swift's cooperative pool.
bool is_cooperative(void);

#pragma GCC visibility pop

#endif
