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
  uint64_t submission;
  uint32_t number, frame_count;
  uintptr_t frames[GW_FRAMES];
} job;

// Makes a job for a function or a block. Returns null if it is not recorded. Only a counted job counts as pending.
job *new_job(object queue, void *context, function work, block *code, bool is_barrier, bool is_counted);
// Runs a job. For dispatch's functions with a context: the context is the job.
void run_job(void *given);

// Records that the calling thread leaves a group: the one with that instance, or, if it is 0, the one now at the
// address. With `is_end`, the member is a block that dispatch entered into the group.
void group_left(object group, uint64_t instance, uint32_t run, bool is_end);

#pragma GCC visibility pop

#endif
