// Records what each thread holds and asks for. This is the part of the wait monitor that runs at every wait.
//
// It is written in C because it is used twice: linked into GatehouseQueues, and in a library that is preloaded into
// programs without Swift. It takes no lock, allocates once per thread, and calls no function that the preloaded library
// replaces.
//
// A *thing* is held by one party (a serial queue by the block that runs on it, a mutex by its thread) or shared by
// several (a concurrent queue without barrier, a read lock). It has an instance, and a class: all things that one call
// site makes under one name. A thread that asks for a thing while it holds others makes edges, held -> asked. The sink
// gets each edge the first time it is seen, on the asking thread, before that thread waits. Other modules decide what
// the edges mean.

#ifndef GATEHOUSE_WAITS_H
#define GATEHOUSE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Hidden: a program that links this code and also has the preloaded library must keep the two copies apart.
#pragma GCC visibility push(hidden)

enum { GW_FRAMES = 16, GW_HOLDS = 32, GW_MORE = 992, GW_PARTIES = 6, GW_GUARDS = 16, GW_GIVEN = 4, GW_NEEDLESS = 16 };

// How a thing is shared. An activity is a piece of work (a thread, a block) that is held while it runs. It guards no
// wait, and others may wait for its end or for a signal that it gives. A loop is an activity of several turns. Others
// wait for its end, but a signal is given by one turn, which does not need the other turns.
enum { GW_SHARED = 1, GW_ACTIVITY = 2, GW_LOOP = 3 };

typedef struct gw_thing {
  uint64_t instance;    // never 0, never used again
  uint32_t class_id;    // chosen by the user of this library
  uint32_t is_shared;   // others may hold it at the same time: GW_SHARED, GW_ACTIVITY or GW_LOOP; 0: it is held alone
  uint64_t scope;       // the test that it belongs to; 0: none
  uint64_t made_in;     // the number of the hold under which it was made, see gw_innermost; 0: others know it
} gw_thing;

// The side of a guard on which a thread was. Which sides exclude each other is decided elsewhere.
typedef enum gw_side {
  GW_SIDE_ALONE = 0,   // it held the thing alone, or a signal keeps the wait apart
  GW_SIDE_SHARED = 1,  // it held the thing beside others
  GW_SIDE_MEMBER = 2,  // of a group
  GW_SIDE_EMPTY = 3,   // it saw the group empty and kept new members out
  GW_SIDE_MAIN = 4,    // it ran a block of the main queue that does not declare that it must run there
  GW_SIDE_NONE = 5,    // it was the main thread, outside of a block: that guards nothing
  GW_SIDE_RUN = 6,     // of a wait that comes from an activity
  GW_SIDE_RAN = 7,     // it waited for a signal in that activity
} gw_side;

// Something that the asking thread held or took part in, and that keeps its wait apart from others.
typedef struct gw_guard {
  uint64_t instance;
  uint32_t class_id;
  uint16_t side;       // gw_side
  uint16_t is_unsure;  // a group that the asking thread had entered; it counts once the same thread leaves it
} gw_guard;

typedef struct gw_hold {
  gw_thing thing;
  uint64_t number;      // of this hold; unique
  uint32_t frame_count;
  uint32_t gives;       // the number of signals that its thread had given when this hold began
  // The main queue, held by the main thread outside of a block: others wait for it, and it guards no wait.
  uint32_t is_ambient;
  uint32_t is_declared;  // the main queue, held by a block that declares that it must run there
  uint64_t submitted;    // of a queue: the submission of the block that holds it, see gw_submission; 0: unknown
  uintptr_t frames[GW_FRAMES];  // return addresses, innermost first
} gw_hold;

typedef enum gw_reason {
  GW_ASKED = 0,    // held -> asked for, by one thread
  GW_ITSELF = 1,   // a thread asks for what it holds
  GW_SIGNAL = 2,   // held by a thread that waits for a signal -> held by the thread that gives it
} gw_reason;

// Things that no thread but the asking one knew when it asked. Such an edge counts once it turns out that another
// thread knew the thing at that time, see gw_lasts.
enum { GW_FROM_PRIVATE = 1, GW_TO_PRIVATE = 2 };

typedef struct gw_edge {
  gw_reason reason;
  uint32_t tid;       // of the thread that made it
  uint64_t scope;     // of the thread, of the thing asked for, or of the held thing: the first that is not 0
  gw_hold from, to;
  gw_thing via;       // the signal, if the reason is GW_SIGNAL
  // What keeps the wait apart from others. An instance of 0 ends the list. The guards are:
  // - the other things that the thread holds;
  // - the activity in which a signal is waited for: it does not wait for something else meanwhile;
  // - a signal that is waited for once. It guards the wait for it, and what the giver asks for after it gave the
  //   signal, while the giver still holds what it held then;
  // - a group. On one side is what its members ask for before they leave it. On the other is what a thread asks for
  //   after it saw the group empty, while it keeps new members out.
  gw_guard guards[GW_GUARDS];
  uint64_t number;    // of the wait, among its thread's events
  // For a signal that the activity `to` gives: the number of the event at which it was given, or UINT64_MAX if it was
  // given more than once. What the activity asks for after that keeps no thread waiting. 0 if `to` is no activity.
  uint64_t given_at;
  uint32_t side;      // gw_side: how the thread held `from`
  uint32_t privacy;   // GW_FROM_PRIVATE, GW_TO_PRIVATE
  uint32_t withdrawn_tid;  // for the sink: the thread whose edge it was before it was withdrawn
  uint32_t lost_guards;    // the number of guards that did not fit: a deadlock that they may exclude is not reported
  uint64_t kind;      // a hash of its guards' classes, and of what else makes it different from edges of its classes
  uint32_t is_last;   // later edges of this kind are left out
  // Whether the wait is for a signal whose giver is a block that was submitted to the queue `to` while the waiter held
  // `from`. The block may be behind any other holder of the queue, and then it cannot give the signal.
  uint32_t is_answer;
} gw_edge;

// The groups that a thread has entered and not left, and that only threads with a certain hold enter.
typedef struct gw_members {
  uint32_t count;
  gw_guard groups[GW_PARTIES];
} gw_members;

// A group that has no members and can get none: the thread saw it empty, and since then has held alone the thing that a
// thread must hold to enter it.
typedef struct gw_empty {
  gw_guard group;
  uint64_t gate;
} gw_empty;

// Room for the holds of one thread beyond the first GW_HOLDS.
typedef struct gw_more {
  uint32_t tid, reserved;  // a tid of 0: free
  gw_hold holds[GW_MORE];
} gw_more;

// What one thread holds and asks for. Only that thread writes it. Another thread may read it partly changed, but never
// a partly written word.
typedef struct gw_thread {
  uint32_t tid;       // 0: a free record
  uint32_t depth;     // the number of recorded holds
  uint32_t beyond;    // the number of holds that are not recorded, because there was no room
  uint32_t more_at;   // the index of its gw_more, from 1; 0: it has none
  uint64_t asking_since;  // monotonic nanoseconds, 0: does not wait
  uint64_t events;        // incremented whenever this thread asks, enters or leaves
  uint32_t asking_limited;  // the wait ends by itself
  uint32_t next_free;       // of a free record: the index of the next free one, from 1; 0: none
  gw_hold asking;
  gw_hold holds[GW_HOLDS];
  // Only the record's own thread reads the members from here on.
  uint64_t scope;     // the test that the thread works for; 0: the process
  uint64_t voids_seen;    // the number of void things that were removed from `holds`
  uint64_t holds_begun;   // the number of holds that the record's threads have had
  gw_guard given[GW_GIVEN];  // the latest signals that it gave
  uint32_t gives;     // the number of signals that it gave
  uint32_t padding;
  gw_members members;
  gw_empty empties[GW_PARTIES];  // an instance of 0: none
  uintptr_t stack_low, stack_high;
} gw_thread;

// The numbers of things that did not fit.
typedef struct gw_losses {
  uint64_t threads;  // threads without a record
  uint64_t holds;    // beyond GW_HOLDS + GW_MORE, or beyond GW_HOLDS without a gw_more
  uint64_t edges;    // edges for which the table of seen edges had no room
} gw_losses;

// The caller's memory for the records, zeroed. The last two members may be null.
typedef struct gw_room {
  gw_thread *threads;
  size_t thread_count;
  gw_more *more;
  size_t more_count;
  uint64_t *threads_used;  // gets the number of records that were ever in use
  gw_losses *losses;
} gw_room;

typedef void (*gw_sink)(const gw_edge *edge);

// Whether events are recorded: one relaxed load.
extern uint32_t gw_switch;
static inline bool gw_is_on(void) { return __atomic_load_n(&gw_switch, __ATOMIC_RELAXED) != 0; }

// Tells the thread sanitizer, in a program that is built with it, that the resumption of the current task came before
// what the task does now.
void gw_resumed(void);

// Begins recording. Call it before any other function. A second call replaces the sink. If the room has no threads,
// memory is allocated.
void gw_begin(gw_sink sink, gw_room room);
// Ends recording: `gw_is_on` is false, and the sink gets no more edges. Threads still leave what they hold.
void gw_end(void);
// Call it in a child after fork, where the records may be shared with the parent. Nothing is recorded there.
void gw_forked(void);
// Sets the main queue. The main thread holds it from its first record on, below all other holds. An instance of 0 ends
// that.
void gw_set_main(gw_thing thing);
// Records that the calling thread runs a block of the main queue that must run there.
void gw_declare_main(void);

// The calling thread's record. Null if there is no room, or inside the sink.
gw_thread *gw_self(void);
// The thread ID of a record. The read is atomic because threads that look for a free record try to change it.
static inline uint32_t gw_tid(const gw_thread *self) { return __atomic_load_n(&self->tid, __ATOMIC_RELAXED); }

// Records that the calling thread is about to wait for a thing, and makes edges. Returns whether the thread would wait
// for itself. For a queue with targets there is one call for each target, and the queue itself comes last.
bool gw_ask(gw_thing thing);
// Records a wait whose waker is unknown. Makes no edge.
void gw_waits(gw_thing thing);
// The same for a wait that ends by itself.
void gw_waits_limited(gw_thing thing);
// Records that the calling thread no longer waits.
void gw_asked(void);
// Records that the calling thread holds a thing from now on. Call it before gw_asked. A thing that the thread got
// without asking (a try, an asynchronous block) is only entered.
void gw_enter(gw_thing thing);
// The same for a block that another thread submitted: the hold gets the stack of that submission.
void gw_enter_at(gw_thing thing, const uintptr_t *frames, uint32_t frame_count);
// Records that the calling thread no longer holds a thing. Things may be left in any order.
void gw_leave(uint64_t instance);
// Records that no thread holds this thing, even one that entered it: a semaphore that one thread takes and another
// signals is no lock.
void gw_void(uint64_t instance);
// Whether the calling thread holds the thing.
bool gw_holds(uint64_t instance);
// Whether the calling thread holds the thing exclusively.
bool gw_holds_alone(uint64_t instance);
// Returns the number of a block that the calling thread submits now, made of the thread's record and of the number of
// its holds so far; 0 if the thread holds nothing.
uint64_t gw_submission(void);
// Records that the calling thread holds a queue because of a block with that submission.
void gw_submitted(uint64_t instance, uint64_t submission);
// Makes the calling thread's shared hold of a thing an exclusive one.
void gw_alone(uint64_t instance);

// The number of the innermost hold that the calling thread has alone. What the thread makes now is private to it while
// this hold lasts. 0: what it makes is public at once.
uint64_t gw_innermost(void);
// Whether the calling thread has the hold with that number.
bool gw_is_private(uint64_t made_in);
// Whether any thread has the hold with that number. If a thread other than the holder learns of a thing while this is
// so, the thing never was private. The caller then reports that to the keeper of the edges.
bool gw_lasts(uint64_t made_in);

// The kernel's ID of the calling thread.
uint32_t gw_thread_id(void);
bool gw_is_main_thread(void);
// Whether this process has a thread with that ID.
bool gw_lives(uint32_t tid);

// The number of the piece of work that the calling thread runs: a submitted block. 0 outside of blocks.
uint32_t gw_run(void);
// Begins such a piece of work. Returns the number of the one that continues when it ends, for gw_end_run.
uint32_t gw_begin_run(void);
void gw_end_run(uint32_t outer);

// Keeps the calling thread, and the threads that it starts later, on its current processor. Returns false on failure.
bool gw_stay_here(void);

// Copies the records of living threads, at most `count`, each with its first GW_HOLDS holds. Returns the number copied.
uint32_t gw_threads(gw_thread *copies, uint32_t count);

// For tests that run side by side: the test that the calling thread works for. May be read inside the sink.
uint64_t gw_scope(void);
void gw_set_scope(uint64_t scope);

// Returns the counts of all that did not fit so far, in this process.
gw_losses gw_lost(void);

// Forgets which edges were seen: the sink gets them again when they occur again.
void gw_forget(void);
// Withdraws an edge that the sink got and that proves nothing, so that another edge can take its place.
void gw_withdraw(const gw_edge *edge);

// Describes the code in a range of addresses. Stacks leave out hidden code, through which the program waits. For a
// small function without a frame pointer that the unwinder does not know, the caller is searched for. Call it before
// gw_begin.
void gw_text(uintptr_t from, uintptr_t to, bool is_hidden, bool is_small);
// Sets the unwinder for functions without frame pointers: that of the C++ runtime (_Unwind_Backtrace, _Unwind_GetIP,
// _Unwind_GetCFA). Without it, stacks lack the callers of such functions. To be called before gw_begin.
typedef struct gw_unwinder {
  int (*backtrace)(int (*frame)(void *context, void *given), void *given);
  uintptr_t (*address)(void *context);
  uintptr_t (*top)(void *context);
} gw_unwinder;
void gw_set_unwinder(gw_unwinder unwinder);

// Returns the calling stack: return addresses, innermost first, without the first `skip`. Follows frame pointers, and
// reads nothing outside the stack.
uint32_t gw_stack(uintptr_t *frames, uint32_t room, uint32_t skip);

// The same on any thread, recorded or not, without the unwinder and with nothing left out. It reads only the thread's
// own stack, so it can be called while the objects of a frame are being destroyed.
uint32_t gw_callers(uintptr_t *frames, uint32_t count);

// A signal that one party waits for and another gives: a semaphore made with 0, a group, a one-shot completion. Zeroed
// memory is a new signal. Once both parties have been seen, edges are made from each thing that the waiter holds alone
// to each that the giver holds alone. No edge is made if both hold the same thing. Once two givers were seen that do
// not have the same thing innermost, `is_ambiguous` is set and no edge is made either, unless `needs_all`: a group
// waits for each of its givers. Otherwise edges lead only to what each giver held alone, and to activities unless a
// thread that ran none gave the signal more than once. Once more than GW_NEEDLESS things were left out for this,
// `is_ambiguous` is set.
typedef struct gw_signal {
  uint32_t lock, waits;
  uint8_t needs_all, is_ambiguous, waiters, givers;
  gw_hold waiting[GW_PARTIES];
  gw_guard waiting_in[GW_PARTIES];  // the activity of each waiter; an instance of 0: none, or several
  uint64_t waiting_at[GW_PARTIES];  // the submission that each waiter could have made when it waited
  uint8_t gave_more[GW_PARTIES];    // whether each waiter gave more signals than waiting_after has room for
  // The signals that each waiter gave since its hold began; an instance of 0 ends the list.
  gw_guard waiting_after[GW_PARTIES][GW_GIVEN];
  gw_hold giving[GW_PARTIES];
  uint64_t given_at[GW_PARTIES];  // see gw_edge
  // For a group: the things that every thread held when it entered the group, alone or shared.
  uint64_t gates[GW_PARTIES];
  // What threads held alone when they saw the group empty before its first entry. Such a thing is a gate if entrants
  // hold it.
  uint64_t closed[GW_PARTIES];
  uint8_t was_entered, was_closed;
  uint8_t is_single;  // it is given once, and that ends all waits for it: a future
  // Parties for which there was no room. They met the parties that were known then, and meet no later ones.
  uint8_t lost_waiters, lost_givers;
  uint8_t given_outside;  // by threads that ran no activity: never, once or more often
  uint8_t needless_count;
  // Things that one giver had alone and another did without. They make no edge. If a waiter has one, nothing follows.
  uint64_t needless[GW_NEEDLESS];
  uint8_t is_phased;  // a thread that saw the group empty entered it again: it is used in phases, and is no guard
} gw_signal;

void gw_signal_wait(gw_signal *signal, gw_thing thing);   // call beside gw_ask
void gw_signal_try(gw_signal *signal);                    // a wait with a timeout: makes no edge, may take the signal
// Whether the giver of the signal is known.
bool gw_signal_has_giver(gw_signal *signal);
void gw_signal_give(gw_signal *signal, gw_thing thing);
// Records that the calling thread enters a group. Returns whether the group is used in phases, by a thread that waits
// for it and then enters it again. Such a group is no guard, and never was one.
bool gw_group_enter(gw_signal *group, gw_thing thing);
// Records that the calling thread leaves a group. `is_whole`: its activities were in the group from their beginnings.
void gw_group_leave(gw_signal *group, gw_thing thing, bool is_whole);
// Records that the calling thread has waited for the group and seen it empty.
void gw_group_empty(gw_signal *group, gw_thing thing);
// The groups of the calling thread. A block that it submits now inherits them.
gw_members gw_memberships(void);
// Makes the calling thread a member of these groups. Returns its groups before, to be restored later.
gw_members gw_take_over(gw_members members);
// Declares in advance which thing the giver of a signal will hold.
void gw_signal_declare(gw_signal *signal, gw_thing thing, gw_thing giver);

// Makes a file that exists only in memory, until it is closed (`memfd_create`). Returns its descriptor; -1 with `errno`
// on failure.
int gw_memory_file(void);

#pragma GCC visibility pop

#endif
