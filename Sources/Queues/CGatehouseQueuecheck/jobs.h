// Blocks that were submitted and run later.

#ifndef GATEHOUSE_JOBS_H
#define GATEHOUSE_JOBS_H

#include "runs.h"

#pragma GCC visibility push(hidden)

typedef struct job {
  object queue;
  gw_thing activity;
  bool is_barrier, is_block, is_counted;
  void *context;
  function work;
  object group;
  uint64_t group_instance;
  gw_members members;
  uint32_t number, frame_count;
  uintptr_t frames[GW_FRAMES];
} job;

// A job for a function, or for a block; null if it is not recorded. Only a counted one is in demand.
job *new_job(object queue, void *context, function work, block *code, bool is_barrier, bool is_counted);
// For dispatch's functions with a context, which is the job.
void run_job(void *given);

// A thread leaves a group: the one of that instance, or with 0 the one that is there. With `is_end` the member is a
// block that dispatch entered into the group.
void group_left(object group, uint64_t instance, uint32_t run, bool is_end);

#pragma GCC visibility pop

#endif
