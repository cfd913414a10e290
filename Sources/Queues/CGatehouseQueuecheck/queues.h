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
} chain;

// Call once, before the program's own code runs.
void queues_begin(void);

chain chain_of(object queue, bool is_barrier);
uint64_t chain_ask(const chain *given);
void chain_enter(const chain *given, const uintptr_t *frames, uint32_t count);
void chain_leave(const chain *given);
// Records that the thread holds the chain because of a block with that submission.
void chain_submitted(const chain *given, uint64_t submission);
// Whether the calling thread runs on one of the queues.
bool chain_is_held(const chain *given);

// Enters the queue that the calling thread runs on if no block of ours began there, but a work item or the handler of a
// source did. The caller leaves the returned chain afterwards.
chain current_enter(void);

// The queue itself; an instance of 0 if there is none.
gw_thing chain_innermost(const chain *given);
// Records that a barrier was used on the queue.
void note_barrier(const thing *queue);

// The first leaves the main queue if the main thread holds it outside of a block. The second holds it that way again.
bool leave_ambient_main(void);
void hold_ambient_main(void);

// Whether the calling thread runs a job of Swift's cooperative pool.
bool is_cooperative(void);

#pragma GCC visibility pop

#endif
