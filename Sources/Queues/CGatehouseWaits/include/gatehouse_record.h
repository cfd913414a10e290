// The record that a program under `gate queuecheck` writes while it runs, in memory that it shares with gate.
//
// The memory is an anonymous file: the program makes it, maps it, and sends it to gate through a socket. Nothing needs
// to be flushed, and the memory exists as long as one of the two has it. It begins with a `gwr_header`, which has the
// offsets of the tables. A row of a table is complete once its first field is not 0. Numbers have the machine's byte
// order: both programs run on the same machine.

#ifndef GATEHOUSE_RECORD_H
#define GATEHOUSE_RECORD_H

#include "gatehouse_waits.h"

// Variables in the program's environment: the name of gate's socket in the abstract namespace, the process that asked
// for records, and whether a timeline is recorded.
#define GWR_SOCKET_VARIABLE "GATEHOUSE_QUEUECHECK_SOCKET"
#define GWR_PARENT_VARIABLE "GATEHOUSE_QUEUECHECK_PARENT"
#define GWR_TRACE_VARIABLE "GATEHOUSE_QUEUECHECK_TRACE"

enum { GWR_MAGIC = 0x47575231, GWR_VERSION = 8, GWR_LABEL = 64, GWR_DROPPED = 16, GWR_PATH = 256 };

typedef enum gwr_kind {
  GWR_SERIAL = 1, GWR_CONCURRENT, GWR_MAIN, GWR_POOL, GWR_MUTEX, GWR_RWLOCK, GWR_LOCK_SEMAPHORE, GWR_SEMAPHORE,
  GWR_GROUP, GWR_CONDITION, GWR_THREAD, GWR_BLOCK, GWR_ONCE,
  GWR_REPEATED, GWR_JOB, GWR_FUTURE,
} gwr_kind;

// All things that one call site made under one name.
typedef struct gwr_class {
  uint32_t kind;
  uint32_t is_no_lock;    // a semaphore of 1 that a thread signaled without holding it
  uint64_t address;       // of a lock in a program image that no call initialized
  char label[GWR_LABEL];  // ends with 0, truncated when longer
  uint32_t frame_count;
  uint32_t has_barriers;  // of a concurrent queue: a barrier was used
  uint32_t is_instance_only;  // the making of its things was not seen: one says nothing about another
  uint32_t is_no_guard;       // of a group: it is used in phases
  uint32_t is_doubtful;       // of a lock: nothing shows whether its address became another lock
  uint32_t reserved;
  uintptr_t frames[GW_FRAMES];  // the stack of the code that made it
} gwr_class;

// A wait with an unknown waker, by a thread that holds something meanwhile or belongs to Swift's cooperative pool.
typedef struct gwr_wait {
  uint32_t tid;             // written last
  uint32_t is_cooperative;
  gw_hold held, asked;
} gwr_wait;

// A queue, and the number of blocks that wait on it.
typedef struct gwr_queue {
  uint64_t instance;
  uint64_t target;        // the instance of the queue that it targets; 0: a global queue
  uint32_t class_id;
  int32_t pending;        // asynchronous blocks that were submitted and have not begun
  int32_t suspended;
  uint32_t reserved;
  uint64_t begun;         // asynchronous blocks that have begun
  uint64_t timers_until;  // a timer may fire on it until then, in monotonic nanoseconds; 0: none was set
} gwr_queue;

// The events of the timeline.
typedef enum gwr_act { GWR_SUBMIT = 1, GWR_ASK, GWR_BEGIN, GWR_END, GWR_ASKED } gwr_act;

typedef struct gwr_moment {
  uint32_t act;
  uint32_t tid;
  uint64_t at;            // monotonic nanoseconds
  uint64_t instance;
  uint32_t class_id;
  uint32_t job;           // the number of a submitted block, the same when it begins; 0: a thread waits for the block
} gwr_moment;

// A table of the record.
typedef struct gwr_table {
  uint64_t at;     // its offset
  uint64_t room;   // the number of its rows
  uint64_t count;  // the number of rows that were asked for; for threads, the number ever in use
} gwr_table;

typedef struct gwr_header {
  uint32_t magic, version;  // magic is written last
  uint32_t pid, uses_dispatch, is_asked_for, is_traced, main_tid, has_dispatch_main;
  uint64_t begun_at;        // monotonic nanoseconds
  uint64_t size;
  gwr_table threads, more, classes, edges, waits, queues, moments;
  gwr_table maps;           // the memory map when the program began or ended, as text
  uint64_t private_edges;   // of things that no other thread knew
  int64_t pending_global;   // asynchronous blocks on the global queues that have not begun
  uint64_t begun_global;
  int64_t running;          // asynchronous blocks that have begun and not ended
  uint64_t ended;           // asynchronous blocks that have ended
  uint64_t unknown_locks;   // locks of unknown origin, which are not followed
  uint64_t timers_until;    // a timer without a queue's row may fire until then; 0: none was set
  uint64_t lost_things;     // queues, locks and signals for which there was no room
  uint64_t forked;          // children of fork that took locks and started no other program: they are not recorded
  uint64_t dropped;         // programs that were started without this library, because their environment drops it
  char dropped_paths[GWR_DROPPED][GWR_PATH];  // of the first of them; each ends with 0
  gw_losses losses;
} gwr_header;

#endif
