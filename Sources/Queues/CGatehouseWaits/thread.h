// Shared by the parts of the recorder: the calling thread's record, and how it is written.

#ifndef GATEHOUSE_THREAD_H
#define GATEHOUSE_THREAD_H

#include "gatehouse_mix.h"
#include "gatehouse_waits.h"

#pragma GCC visibility push(hidden)

// Only the record's own thread writes it, and other threads may read it meanwhile. So each word is stored atomically.
#define PUT(target, value) __atomic_store_n(&(target), (value), __ATOMIC_RELAXED)

// A word of any structure.
typedef uint64_t __attribute__((may_alias)) any_word;

// Copies word by word, to a lower address or to memory that does not overlap.
static inline void put_words(void *to, const void *from, size_t size) {
  for (size_t word = 0; word < size / sizeof(any_word); word++)
    PUT(((any_word *)to)[word], ((const any_word *)from)[word]);
}

// A thread inside the recorder records nothing: its waits there are not the program's.
extern __thread bool gw_is_inside __attribute__((tls_model("initial-exec")));

extern gw_room gw_own_room;

// The memory of one hold.
static inline gw_hold *hold_at(gw_thread *self, uint32_t index) {
  return index < GW_HOLDS ? &self->holds[index] : &gw_own_room.more[self->more_at - 1].holds[index - GW_HOLDS];
}

// Walks up a stack from a frame, and writes the return addresses, innermost first, without the first `skip`.
uint32_t gw_walk(const gw_thread *self, uintptr_t frame, uintptr_t *frames, uint32_t count, uint32_t skip);
#define WALK(self, frames, skip) gw_walk((self), (uintptr_t)__builtin_frame_address(0), (frames), GW_FRAMES, (skip))

// The test in which a wait of the thread counts.
static inline uint64_t scope_of(const gw_thread *self, gw_thing from, gw_thing to) {
  return self->scope != 0 ? self->scope : to.scope != 0 ? to.scope : from.scope;
}

static inline gw_guard guard_of(gw_thing thing, gw_side side) {
  return (gw_guard){.instance = thing.instance, .class_id = thing.class_id, .side = (uint16_t)side};
}

// Whether the thread has the thing, or has it alone. The main thread outside of a block does not count for the main
// queue.
bool gw_has(gw_thread *self, uint64_t instance, bool is_alone);

// The side of a guard for a thread that has the hold.
gw_side gw_side_of(const gw_hold *hold);
void gw_add_guard(gw_edge *edge, gw_guard guard);

// Whether the sink has an edge. `way` distinguishes edges between the same things.
bool gw_is_known(const gw_thread *self, gw_thing from, gw_thing to, uint64_t way);
// Whether the sink shall get an edge that it does not have: not if it has enough of its kind. The last one of a kind is
// marked. `kind` distinguishes edges between things of the same classes.
typedef enum gw_news { GW_KNOWN, GW_NEWS, GW_LAST } gw_news;
gw_news gw_news_of(const gw_thread *self, gw_thing from, gw_thing to, uint64_t way, uint64_t kind);
void gw_hand_over(gw_thread *self, gw_edge *edge);

// Guards of the calling thread besides its holds: the signals that it gave since a hold began, and groups.
uint32_t gw_given_since(const gw_thread *self, const gw_hold *hold, gw_guard *given);
uint32_t gw_groups_of(const gw_thread *self, gw_guard *groups);
// Called when the thread has left a thing that may have kept members out of groups.
void gw_gate_opened(gw_thread *self, uint64_t instance);

// The parts of gw_begin and gw_forked for the records of threads.
void gw_threads_begin(gw_room room);
void gw_threads_forked(void);

// The number of a hold has this many bits for the hold. The bits above are the number of the thread's record, from 1.
enum { HOLD_BITS = 40 };
uint64_t gw_first_number(const gw_thread *self);
// The number of the latest hold that the record's threads have had.
uint64_t gw_this_moment(const gw_thread *self);

// Counts something that did not fit.
extern gw_losses *gw_losses_of_all;
#define LOST(what) __atomic_fetch_add(&gw_losses_of_all->what, 1, __ATOMIC_RELAXED)

bool gw_is_main(uint64_t instance);
// Puts the main queue below the things that the main thread already holds.
void gw_hold_main(gw_thread *self);
// Claims memory for the thread's deeper holds. Returns whether there is any.
bool gw_claim_more(gw_thread *self);

#pragma GCC visibility pop

#endif
