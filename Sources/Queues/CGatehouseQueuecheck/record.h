// The record that this process writes for gate.

#ifndef GATEHOUSE_QUEUECHECK_RECORD_H
#define GATEHOUSE_QUEUECHECK_RECORD_H

#include "gatehouse_record.h"

#pragma GCC visibility push(hidden)

// MARK: - The memory

extern gwr_header *record;
static inline bool record_is_on(void) { return __atomic_load_n(&record, __ATOMIC_RELAXED) != 0; }

// The rows of a table.
#define ROWS(type, table) ((type *)((char *)record + record->table.at))

// The record of the parent, in a child of fork that has started no other program. Null elsewhere.
extern gwr_header *record_of_parent;
// Counts the calling process as a child that takes locks under locks and is not recorded. A child is counted once.
void record_note_child(void);
// Takes that back, because the child starts another program. Returns whether it was counted.
bool record_uncount_child(void);
// Called in such a child when a thread waits for a lock and when it leaves one. What takes one lock at a time has no
// order of locks.
void record_child_asks(bool is_lock);
void record_child_leaves(void);
static inline bool record_is_in_child(void) {
  return __builtin_expect(__atomic_load_n(&record_of_parent, __ATOMIC_RELAXED) != 0, 0) != 0;
}

// Returns zeroed memory that is never freed. It does not come from malloc, which may itself wait for the caller.
void *record_memory(size_t size);

// MARK: - Rows

// Makes the tables behind the rows. Returns false if there is no memory.
bool record_begin(void);
// Records an edge.
void record_edge(const gw_edge *edge);
// The class of a thing that is being made, identified by kind, name and calling stack, or by address.
uint32_t record_class(gwr_kind kind, const char *label, uintptr_t address);
// The same, with a given stack.
uint32_t record_class_at(gwr_kind kind, const char *label, uintptr_t address, const uintptr_t *frames, uint32_t count);
gwr_class *record_class_row(uint32_t class_id);
// Makes a row for a queue. Returns null if there is no room.
gwr_queue *record_queue(void);
// Records a wait with an unknown waker, if the calling thread holds something or belongs to the cooperative pool.
void record_wait(gw_thing asked, bool is_cooperative);
// Records one event of the timeline, if a timeline was asked for.
void record_moment(gwr_act act, gw_thing thing, uint32_t job);
// Makes the edges of a private thing count: another thread knew it while the hold lasted under which it was made.
void record_publish(uint64_t instance);

// MARK: - Withdrawn edges

// Identifies a wait by its thread and that thread's count of events. Below 2^63, which leaves a bit for WITHDRAWN.
static inline uint64_t record_wait_number(uint32_t tid, uint64_t events) {
  return (uint64_t)(tid & 0x7FFFFF) << 40 | (events & 0xFFFFFFFFFF);
}
#define WITHDRAWN (1ull << 63)
// The number of edges that were written.
uint64_t record_edges(void);
// Withdraws, or restores, the edges of one wait for a thing, from row `first` on.
void record_withdraw(uint64_t instance, uint64_t wait, uint64_t first, bool is_withdrawn);
// The number of the calling thread's current run. It changes at the start and at the end of each block.
uint32_t record_run(void);
uint32_t record_next_run(void);
// Records that the calling thread has entered a group, perhaps again. Its next leave belongs to this entry.
void record_entered(uint64_t group);
// Whether the calling thread entered the group in its current run. It did not make its earlier requests as a member.
bool record_has_entered(uint64_t group);
// Called when the thread leaves a group that guards, still unsure, edges of that run: the group now counts as their
// guard. With `is_end`, the member is a block: dispatch entered it into the group and takes it out at its end.
void record_sure(uint64_t group, uint32_t run, bool is_end);

// MARK: - Images

// Notes the images that were loaded with the program.
void images_begin(void);
// Copies the memory map into the record. While the program lives, gate reads the current map.
void images_copy(void);
// Whether the caller is dispatch, which calls some of its own functions by their exported names. Its waits are not
// recorded.
bool record_is_dispatch(uintptr_t address);
// Whether the calling thread, whose ID is `tid`, has called dispatch and not ended.
bool record_is_known_to_dispatch(uint32_t tid);
#define CALLED_BY_DISPATCH record_is_dispatch((uintptr_t)__builtin_return_address(0))
// Whether the address belongs to a loaded image: a global variable, or a function.
bool record_is_in_image(uintptr_t address);
// Whether the calling thread runs Swift's runtime, which hands the locks in its own memory from one use to another.
bool record_is_in_runtime(void);

#pragma GCC visibility pop

#endif
