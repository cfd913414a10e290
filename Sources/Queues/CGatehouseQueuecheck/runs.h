// Blocks that run on a queue, however they were submitted.

#ifndef GATEHOUSE_RUNS_H
#define GATEHOUSE_RUNS_H

#include "queues.h"

#pragma GCC visibility push(hidden)

// A block that runs and holds its queue. What the thread held before (the main queue) has the block's frames until the
// block ends.
typedef struct entered {
  chain held;
  bool had_ambient_main, had_other, is_cooperative;
  gw_thing other;
} entered;

// `job` is the number of a submitted block; 0: a thread waits for the block.
entered run_begin(object queue, const chain *given, const uintptr_t *frames, uint32_t count, uint32_t job);
void run_end(const entered *now);

// Records that a thread other than the last waiter used a queue. Restores the edges of that wait if they were
// withdrawn.
void queue_used(object queue);

// Whether the block is a work item: dispatch reads data behind it.
bool is_work_item(const block *work);
// Records that the item waits for its turn on the queue. A wait for it is a wait for the queue.
void note_item(object queue, block *item);

#pragma GCC visibility pop

#endif
