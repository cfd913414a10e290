// The file that this process writes for gate.

#ifndef GATEHOUSE_QUEUECHECK_RECORD_H
#define GATEHOUSE_QUEUECHECK_RECORD_H

#include "gatehouse_record.h"

#pragma GCC visibility push(hidden)

extern gwr_header *record;
static inline bool record_is_on(void) { return __atomic_load_n(&record, __ATOMIC_RELAXED) != 0; }

// The class of what is being made: by kind, name, and who makes it, or by address.
uint32_t record_class(gwr_kind kind, const char *label, uintptr_t address);
gwr_class *record_class_row(uint32_t class_id);
// A row for a queue, or null.
gwr_queue *record_queue(void);
// A wait that nobody can be named for, while the calling thread holds something.
void record_wait(gw_thing asked, bool is_cooperative);
// A wait by its thread and its thread's count of events: below 2^63, so that WITHDRAWN goes beside it.
static inline uint64_t record_wait_number(uint32_t tid, uint64_t events) {
  return (uint64_t)(tid & 0x7FFFFF) << 40 | (events & 0xFFFFFFFFFF);
}
#define WITHDRAWN (1ull << 63)
// What the calling thread runs, counted: another number for each block, and once more behind its end.
uint32_t record_run(void);
uint32_t record_next_run(void);
// The calling thread has entered a group, once more perhaps: when it leaves, it leaves for that first.
void record_entered(uint64_t group);
// Who asked in that run for what, as a member of a group, has left it now. With `is_end` it is a block that dispatch entered into the
// group, and takes out of it at its end.
void record_sure(uint64_t group, uint32_t run, bool is_end);
// How many edges were written.
uint64_t record_edges(void);
// Takes back, or restores, what one wait for a thing has told, in the edges behind the first ones.
void record_withdraw(uint64_t instance, uint64_t wait, uint64_t first, bool is_withdrawn);
// One moment of the timeline, when somebody wants it.
void record_moment(gwr_act act, gw_thing thing, uint32_t job);
// Zeroed memory that is never given back; it is not malloc's, which may be waiting for us.
void *record_memory(size_t size);
// Whether the caller is dispatch itself: it calls some of its own functions by their names. What it waits for is not recorded.
bool record_is_dispatch(uintptr_t address);
// Whether the calling thread, whose number it is, has called dispatch and not ended.
bool record_is_known_to_dispatch(uint32_t tid);
#define CALLED_BY_DISPATCH record_is_dispatch((uintptr_t)__builtin_return_address(0))
// Whether the address belongs to a loaded image: a global variable, or a function.
bool record_is_in_image(uintptr_t address);

#pragma GCC visibility pop

#endif
