// The record that a program under `gate queuecheck` writes while it runs, in a file that it shares with gate.
//
// The program maps the file (MAP_SHARED) and gate reads it, even after the program has crashed: there is nothing to
// flush. It begins with a `gwr_header`. The tables follow at the offsets in the header. A row of a table is complete
// once its first field is not 0. Numbers have the machine's byte order: both programs run on the same machine.

#ifndef GATEHOUSE_RECORD_H
#define GATEHOUSE_RECORD_H

#include "gatehouse_waits.h"

// In the program's environment: the folder that holds the records, the process that asked for them, and whether a
// timeline is recorded.
#define GWR_FOLDER_VARIABLE "GATEHOUSE_QUEUECHECK_FOLDER"
#define GWR_PARENT_VARIABLE "GATEHOUSE_QUEUECHECK_PARENT"
#define GWR_TRACE_VARIABLE "GATEHOUSE_QUEUECHECK_TRACE"

enum { GWR_MAGIC = 0x47575231, GWR_VERSION = 1 };
enum {
  GWR_THREADS = 2048, GWR_CLASSES = 16384, GWR_EDGES = 32768, GWR_WAITS = 4096, GWR_QUEUES = 32768,
  GWR_MOMENTS = 1 << 17, GWR_LABEL = 64,
};

typedef enum gwr_kind {
  GWR_SERIAL = 1, GWR_CONCURRENT, GWR_MAIN, GWR_POOL, GWR_MUTEX, GWR_RWLOCK, GWR_LOCK_SEMAPHORE, GWR_SEMAPHORE,
  GWR_GROUP, GWR_CONDITION, GWR_THREAD, GWR_BLOCK,
} gwr_kind;

// All things that one call site made under one name.
typedef struct gwr_class {
  uint32_t kind;
  uint32_t is_no_lock;    // a semaphore of 1 that a thread signaled without holding it
  uint64_t address;       // of a lock that no call initialized: it lies in a program image
  char label[GWR_LABEL];  // ends with 0, truncated when longer
  uint32_t frame_count;
  uint32_t has_barriers;  // of a concurrent queue: a barrier was used
  uintptr_t frames[GW_FRAMES];  // of the code that made it
} gwr_class;

// A wait with an unknown waker, by a thread that holds something meanwhile or belongs to Swift's cooperative pool.
typedef struct gwr_wait {
  uint32_t tid;             // written last
  uint32_t is_cooperative;
  gw_hold held, asked;
} gwr_wait;

// A queue that was made, and what waits on it.
typedef struct gwr_queue {
  uint64_t instance;
  uint64_t target;        // the instance of the queue that it targets; 0: a global queue
  uint32_t class_id;
  int32_t pending;        // asynchronous blocks that were submitted and have not begun
  int32_t suspended;
  uint32_t reserved;
  uint64_t begun;         // asynchronous blocks that have begun
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

typedef struct gwr_header {
  uint32_t magic, version;  // magic is written last
  uint32_t pid, uses_dispatch, is_asked_for, is_traced;
  uint64_t begun_at;      // monotonic nanoseconds
  uint64_t size;
  uint64_t threads_at, classes_at, edges_at, waits_at, queues_at, moments_at;
  // How many rows were asked for. The rows beyond a table's size did not fit.
  uint64_t classes, edges, waits, queues, moments;
  uint64_t repeated_edges;  // left out: there are enough between their classes
  int64_t pending_global;   // asynchronous blocks on the global queues that have not begun
  uint64_t begun_global;
  int64_t running;          // asynchronous blocks that have begun and not ended
  uint64_t ended;           // asynchronous blocks that have ended
  uint64_t unknown_locks;   // locks that no call initialized and that lie in no program image: not followed
  uint32_t main_tid, has_dispatch_main;
  uint64_t timers_until;    // a timer may fire until then, in monotonic nanoseconds; 0: none was set
} gwr_header;

// Sizes and offsets, for a reader that has only bytes.
enum {
  GWR_HEADER_SIZE = sizeof(gwr_header), GWR_HEADER_PID = offsetof(gwr_header, pid),
  GWR_HEADER_DISPATCH = offsetof(gwr_header, uses_dispatch), GWR_HEADER_ASKED_FOR = offsetof(gwr_header, is_asked_for),
  GWR_HEADER_BEGUN_AT = offsetof(gwr_header, begun_at), GWR_HEADER_TABLES = offsetof(gwr_header, threads_at),
  GWR_HEADER_COUNTS = offsetof(gwr_header, classes), GWR_HEADER_REPEATED = offsetof(gwr_header, repeated_edges),
  GWR_HEADER_PENDING_GLOBAL = offsetof(gwr_header, pending_global),
  GWR_HEADER_BEGUN_GLOBAL = offsetof(gwr_header, begun_global),
  GWR_HEADER_RUNNING = offsetof(gwr_header, running), GWR_HEADER_ENDED = offsetof(gwr_header, ended),
  GWR_HEADER_UNKNOWN = offsetof(gwr_header, unknown_locks), GWR_HEADER_MAIN = offsetof(gwr_header, main_tid),
  GWR_HEADER_TIMERS = offsetof(gwr_header, timers_until),
  GWR_HOLD_SIZE = sizeof(gw_hold), GWR_HOLD_COUNT = offsetof(gw_hold, frame_count),
  GWR_HOLD_FRAMES = offsetof(gw_hold, frames),
  GWR_THING_CLASS = offsetof(gw_thing, class_id), GWR_THING_SHARED = offsetof(gw_thing, is_shared),
  GWR_EDGE_SIZE = sizeof(gw_edge), GWR_EDGE_REASON = offsetof(gw_edge, reason), GWR_EDGE_TID = offsetof(gw_edge, tid),
  GWR_EDGE_FROM = offsetof(gw_edge, from), GWR_EDGE_TO = offsetof(gw_edge, to), GWR_EDGE_VIA = offsetof(gw_edge, via),
  GWR_EDGE_GUARDS = offsetof(gw_edge, guards), GWR_GUARD_SIZE = sizeof(gw_guard),
  GWR_GUARD_CLASS = offsetof(gw_guard, class_id), GWR_GUARD_UNSURE = offsetof(gw_guard, is_unsure),
  GWR_CLASS_SIZE = sizeof(gwr_class), GWR_CLASS_NO_LOCK = offsetof(gwr_class, is_no_lock),
  GWR_CLASS_BARRIER = offsetof(gwr_class, has_barriers), GWR_CLASS_ADDRESS = offsetof(gwr_class, address),
  GWR_CLASS_LABEL = offsetof(gwr_class, label), GWR_CLASS_COUNT = offsetof(gwr_class, frame_count),
  GWR_CLASS_FRAMES = offsetof(gwr_class, frames),
  GWR_WAIT_SIZE = sizeof(gwr_wait), GWR_WAIT_COOPERATIVE = offsetof(gwr_wait, is_cooperative),
  GWR_WAIT_HELD = offsetof(gwr_wait, held), GWR_WAIT_ASKED = offsetof(gwr_wait, asked),
  GWR_QUEUE_SIZE = sizeof(gwr_queue), GWR_QUEUE_TARGET = offsetof(gwr_queue, target),
  GWR_QUEUE_CLASS = offsetof(gwr_queue, class_id), GWR_QUEUE_PENDING = offsetof(gwr_queue, pending),
  GWR_QUEUE_SUSPENDED = offsetof(gwr_queue, suspended), GWR_QUEUE_BEGUN = offsetof(gwr_queue, begun),
  GWR_MOMENT_SIZE = sizeof(gwr_moment), GWR_MOMENT_TID = offsetof(gwr_moment, tid),
  GWR_MOMENT_AT = offsetof(gwr_moment, at),
  GWR_MOMENT_INSTANCE = offsetof(gwr_moment, instance), GWR_MOMENT_CLASS = offsetof(gwr_moment, class_id),
  GWR_MOMENT_JOB = offsetof(gwr_moment, job),
  GWR_THREAD_SIZE = sizeof(gw_thread), GWR_THREAD_DEPTH = offsetof(gw_thread, depth),
  GWR_THREAD_SINCE = offsetof(gw_thread, asking_since), GWR_THREAD_ASKING = offsetof(gw_thread, asking),
  GWR_THREAD_EVENTS = offsetof(gw_thread, events), GWR_THREAD_HOLDS = offsetof(gw_thread, holds),
};

#endif
