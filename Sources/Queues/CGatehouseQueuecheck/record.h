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

// Zeroed memory that is never freed. Not from malloc, which may be waiting for the caller.
void *record_memory(size_t size);

// MARK: - Rows

// Makes the tables behind the rows. Returns false when there is no memory.
bool record_begin(void);
// Takes in an edge.
void record_edge(const gw_edge *edge);
// The class of a thing that is being made: by kind, name and the calling stack, or by address.
uint32_t record_class(gwr_kind kind, const char *label, uintptr_t address);
// The same with a stack that is known.
uint32_t record_class_at(gwr_kind kind, const char *label, uintptr_t address, const uintptr_t *frames, uint32_t count);
gwr_class *record_class_row(uint32_t class_id);
// A row for a queue, or null.
gwr_queue *record_queue(void);
// Records a wait with an unknown waker, if the calling thread holds something or is of the cooperative pool.
void record_wait(gw_thing asked, bool is_cooperative);
// Records one event of the timeline, if a timeline was asked for.
void record_moment(gwr_act act, gw_thing thing, uint32_t job);
// Another thread knew a thing while its maker still held what it was made under: the edges of that time count.
void record_publish(uint64_t instance);

// MARK: - Edges that are taken back

// Identifies a wait by its thread and that thread's count of events. Below 2^63, which leaves a bit for WITHDRAWN.
static inline uint64_t record_wait_number(uint32_t tid, uint64_t events) {
  return (uint64_t)(tid & 0x7FFFFF) << 40 | (events & 0xFFFFFFFFFF);
}
#define WITHDRAWN (1ull << 63)
// How many edges were written.
uint64_t record_edges(void);
// Withdraws, or restores, the edges of one wait for a thing, from row `first` on.
void record_withdraw(uint64_t instance, uint64_t wait, uint64_t first, bool is_withdrawn);
// Counts what the calling thread runs: the number changes at the start and at the end of each block.
uint32_t record_run(void);
uint32_t record_next_run(void);
// The calling thread has entered a group, perhaps again. Its next leave belongs to this entry.
void record_entered(uint64_t group);
// Whether it did so in what it runs now: what it asked for before that, it did not ask for as a member.
bool record_has_entered(uint64_t group);
// The thread that asked for something in that run, as a member of a group, has left the group now. With `is_end` the
// member is a block: dispatch entered it into the group and takes it out at its end.
void record_sure(uint64_t group, uint32_t run, bool is_end);

// MARK: - Images

// Notes the images that were loaded with the program.
void images_begin(void);
// Copies the memory map into the record. While the program lives gate reads the current one.
void images_copy(void);
// Whether the caller is dispatch itself: it calls some of its own functions by their names. Its waits are not recorded.
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
