// Who holds what, and who asks for what: the part of the wait monitor that runs at every wait.
//
// C, because it stands in two places: linked into GatehouseQueues, and preloaded in front of programs that know nothing of
// Swift. It takes no lock, allocates once a thread, and calls no function that a preloaded library stands in front of.
//
// A *thing* can be held by one party (a serial queue by the block that runs on it, a mutex by its thread), or shared by
// several (a concurrent queue without barrier, a read lock). It has an instance, and a class: what was made at one place
// under one name. A thread that asks for a thing while it holds others makes edges, held -> asked. Each edge is handed to the
// sink the first time it is seen, on the asking thread, before it waits; what edges mean is decided elsewhere.

#ifndef GATEHOUSE_WAITS_H
#define GATEHOUSE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Not for others: a program that is linked with its own and runs below a preloaded one keeps the two apart.
#pragma GCC visibility push(hidden)

enum { GW_FRAMES = 16, GW_HOLDS = 32, GW_PARTIES = 4, GW_GUARDS = 8, GW_GIVEN = 4 };

typedef struct gw_thing {
  uint64_t instance;    // never 0, never used again
  uint32_t class_id;    // what the user of this library calls it
  uint32_t is_shared;   // others may hold it at the same time
  uint64_t scope;       // the test that it belongs to; 0: none
} gw_thing;

// What keeps parties apart.
typedef struct gw_guard {
  uint64_t instance;
  uint32_t class_id;
  uint32_t is_unsure;  // a group that whoever asked had entered; it counts when the same one leaves it
} gw_guard;

typedef struct gw_hold {
  gw_thing thing;
  uint32_t frame_count;
  uint32_t gives;     // how many signals its thread had given when it came to hold it
  uintptr_t frames[GW_FRAMES];  // return addresses, innermost first
} gw_hold;

typedef enum gw_reason {
  GW_ASKED = 0,    // held -> asked for, by one thread
  GW_ITSELF = 1,   // a thread asks for what it holds
  GW_SIGNAL = 2,   // held by one who waits for a signal -> held by the one who gives it
} gw_reason;

typedef struct gw_edge {
  gw_reason reason;
  uint32_t tid;       // of the thread that made it
  uint64_t scope;     // of the thread, of what is asked for, or of what is held: the first that is not 0
  gw_hold from, to;
  gw_thing via;       // the signal, when that is the reason
  // What this wait has in common with others that never happen at the same time; 0 ends the list: what else the thread held
  // alone, for whoever else wants it is kept out meanwhile; a signal that is waited for once: of the wait for it, and of
  // what its giver asks for after it was given, while it holds what it gave it by; and a group: of what its members ask for
  // before they leave it, and of what is asked for by one who saw it empty and keeps new members out.
  gw_guard guards[GW_GUARDS];
  uint64_t number;    // of the wait among its thread's events
  uint32_t withdrawn_tid, reserved;  // for the sink: whose it was before it was taken back
} gw_edge;

// The groups that somebody has entered and not left, and that are entered only by those who hold a certain thing.
typedef struct gw_members {
  uint32_t count;
  gw_guard groups[GW_PARTIES];
} gw_members;

// A group that nobody is in and that nobody can enter: it was seen empty by one who has held since then, alone, what one must hold
// to enter it.
typedef struct gw_empty {
  gw_guard group;
  uint64_t gate;
} gw_empty;

// What one thread holds and asks for. Written by its thread only; a reader from elsewhere may see it half changed, each word of it
// whole.
typedef struct gw_thread {
  uint32_t tid;       // 0: nobody's
  uint32_t depth;     // may be more than GW_HOLDS: what lies deeper is not recorded
  uint64_t asking_since;  // monotonic nanoseconds, 0: does not wait
  uint64_t events;        // counts up whenever this thread asks, enters or leaves
  gw_hold asking;
  gw_hold holds[GW_HOLDS];
  // From here on it is read by its own thread alone.
  uint64_t scope;     // whose test this is; 0 for the process
  uint64_t voids_seen;    // how many of the things that nobody holds were taken out
  gw_guard given[GW_GIVEN];  // the signals that it gave last
  uint32_t gives;     // how many it gave
  uint32_t reserved;
  gw_members members;
  gw_empty empties[GW_PARTIES];  // an instance of 0: none
  uintptr_t stack_low, stack_high;
} gw_thread;

typedef void (*gw_sink)(const gw_edge *edge);

// Whether anybody listens: one relaxed load.
extern uint32_t gw_switch;
static inline bool gw_is_on(void) { return __atomic_load_n(&gw_switch, __ATOMIC_RELAXED) != 0; }

// Begins to record. `threads` is room for records of threads (mapped by the caller, zeroed), or null: then each is
// allocated. Called before any other; a second call replaces the sink.
void gw_begin(gw_sink sink, gw_thread *threads, size_t thread_count);
// Hands nothing over any more, and says so by `gw_is_on`. Threads leave what they hold as before.
void gw_end(void);
// In a child of fork, whose caller's room may be its parent's: nothing is recorded there.
void gw_forked(void);
// The main queue: the main thread holds it from its first record on, below all else.
void gw_set_main(gw_thing thing);

// The calling thread's record. Null when there is no more room, or inside the sink.
gw_thread *gw_self(void);
// The thread of a record. Others that look for a free one try to change it, so it is read as they do.
static inline uint32_t gw_tid(const gw_thread *self) { return __atomic_load_n(&self->tid, __ATOMIC_RELAXED); }

// The calling thread is about to wait for a thing. Makes edges, and answers whether it would wait for itself. For a queue with
// targets: one call for each, the queue itself last.
bool gw_ask(gw_thing thing);
// The calling thread is about to wait for something of which nothing follows: makes no edge.
void gw_waits(gw_thing thing);
// It does not wait any longer.
void gw_asked(void);
// The calling thread holds a thing from now on: called before gw_asked. What it got without asking (a try, an asynchronous
// block) is entered only.
void gw_enter(gw_thing thing);
// The same, for a block that somebody else submitted: held since those frames.
void gw_enter_at(gw_thing thing, const uintptr_t *frames, uint32_t frame_count);
// And no longer. Things may be left in any order.
void gw_leave(uint64_t instance);
// Nobody holds it, whatever was entered: a semaphore that was taken by one thread and given by another is no lock.
void gw_void(uint64_t instance);
// Whether the calling thread holds it.
bool gw_holds(uint64_t instance);

// The calling thread, as the kernel numbers it.
uint32_t gw_thread_id(void);
bool gw_is_main_thread(void);

// Keeps the calling thread, and those that it will start, on the processor on which it runs now; whether it can.
bool gw_stay_here(void);

// Copies what threads that live hold and ask for, at most `count` of them; how many.
uint32_t gw_threads(gw_thread *copies, uint32_t count);

// For tests that run side by side: the test that the calling thread works for. It may be read inside the sink.
uint64_t gw_scope(void);
void gw_set_scope(uint64_t scope);

// Forgets which edges were seen: those that come again are handed to the sink again.
void gw_forget(void);
// Of an edge that was handed over and says nothing: another one takes its room.
void gw_withdraw(const gw_edge *edge);
// How many edges did not fit in the table of those that were seen, and were dropped.
uint64_t gw_dropped(void);

// Where functions lie. Hidden ones are left out of every stack: those through which the program waits. Small ones, when they
// have no frame pointer and the unwinder knows nothing of them, are looked through. Called before gw_begin.
void gw_text(uintptr_t from, uintptr_t to, bool is_hidden, bool is_small);
// How to look into functions without frame pointers: the C++ runtime's unwinder (_Unwind_Backtrace, _Unwind_GetIP,
// _Unwind_GetCFA). Without it their callers are missing in stacks. Called before gw_begin.
typedef struct gw_unwinder {
  int (*backtrace)(int (*frame)(void *context, void *given), void *given);
  uintptr_t (*address)(void *context);
  uintptr_t (*top)(void *context);
} gw_unwinder;
void gw_set_unwinder(gw_unwinder unwinder);

// The calling stack: return addresses, innermost first, without the first `skip`. By frame pointers, never beyond the stack.
uint32_t gw_stack(uintptr_t *frames, uint32_t room, uint32_t skip);

// The same on any thread, recorded or not, without the unwinder and with nothing left out. Reads words of the thread's own stack
// and nothing else, so it can be called wherever a frame's surroundings are being destroyed.
uint32_t gw_callers(uintptr_t *frames, uint32_t count);

// A signal that one party waits for and another gives: a semaphore made with 0, a group, a one-shot completion.
// Zeroed memory is a fresh one. Edges are made when both parties were seen: from each thing that the waiter holds alone to
// each that the giver holds alone. None is made when both hold the same thing, and none once givers of different
// classes were seen (then `is_ambiguous` is set), unless `needs_all`: a group waits for every one of its givers.
typedef struct gw_signal {
  uint32_t lock, waits;
  uint8_t needs_all, is_ambiguous, waiters, givers;
  gw_hold waiting[GW_PARTIES];
  gw_hold giving[GW_PARTIES];
  // Of a group: what was held by everybody who entered it, alone or with others.
  uint64_t gates[GW_PARTIES];
  uint8_t was_entered;
} gw_signal;

void gw_signal_wait(gw_signal *signal, gw_thing thing);   // call beside gw_ask
void gw_signal_try(gw_signal *signal);                    // a wait that ends by itself: makes no edge, and may take the signal
void gw_signal_give(gw_signal *signal, gw_thing thing);
// The calling thread enters a group; who gives it, leaves it.
void gw_group_enter(gw_signal *group, gw_thing thing);
// It has waited for the group, and seen it empty.
void gw_group_empty(gw_signal *group, gw_thing thing);
// What the calling thread is a member of, and so a block that it submits now.
gw_members gw_memberships(void);
// The calling thread is a member of these from now on; of which it was before, to be given back.
gw_members gw_take_over(gw_members members);
// Who will give it, said beforehand.
void gw_signal_declare(gw_signal *signal, gw_thing thing, gw_thing giver);

#pragma GCC visibility pop

#endif
