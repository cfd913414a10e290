// What the calling thread runs on, and the queues that a wait for a queue waits for.

#ifndef GATEHOUSE_QUEUES_H
#define GATEHOUSE_QUEUES_H

#include "real.h"
#include "things.h"

#pragma GCC visibility push(hidden)

enum { CHAIN = 8 };

// A queue and those that it targets, the last target first: to run on it is to hold them all.
typedef struct chain {
  uint32_t count;
  gw_thing things[CHAIN];
  bool are_private[CHAIN];
} chain;

// Called once, before the program's own code.
void queues_begin(void);

chain chain_of(object queue, bool is_barrier);
uint64_t chain_ask(const chain *chain);
void chain_enter(const chain *chain, const uintptr_t *frames, uint32_t count);
void chain_leave(const chain *chain);

// The queue that the calling thread runs on though no block of ours began it: a work item, a source's handler. To be left.
chain current_enter(void);

// The main thread holds the main queue, but what it gives outside of a block there was waiting for nobody's turn. Whether it was
// so; to be undone.
bool main_step_out(void);
void main_step_back(void);

// Whether the calling thread runs a job of Swift's cooperative pool.
bool is_cooperative(void);

#pragma GCC visibility pop

#endif
