#define _GNU_SOURCE
#include "gatehouse_mix.h"
#include "gatehouse_waits.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// MARK: - The record of a thread

uint32_t gw_switch;
static _Atomic(gw_sink) current_sink;
static gw_thing main_thing;
static gw_thread *room;
static size_t room_count;
static pthread_key_t at_thread_end;

static __thread gw_thread *mine;
static __thread bool is_inside;

// MARK: - Writing what others read

enum { PUBLIC = offsetof(gw_thread, scope) };

#define PUT(target, value) __atomic_store_n(&(target), (value), __ATOMIC_RELAXED)

// Copies word by word, to a lower address or to memory that does not overlap.
static inline void put(void *to, const void *from, size_t size) {
  for (size_t word = 0; word < size / sizeof(uint64_t); word++)
    PUT(((uint64_t *)to)[word], ((const uint64_t *)from)[word]);
}

// Removes the hold at an index, and moves down those above it.
static void remove_hold(gw_thread *self, uint32_t index, uint32_t held) {
  put(&self->holds[index], &self->holds[index + 1], (held - index - 1) * sizeof(gw_hold));
  PUT(self->depth, self->depth - 1);
}

// MARK: - Threads that come and go

// Frees the record of a thread that ends: the next new thread takes it.
static void thread_ended(void *record) {
  mine = NULL;
  __atomic_store_n(&((gw_thread *)record)->tid, 0, __ATOMIC_RELEASE);
}

static void make_key(void) { pthread_key_create(&at_thread_end, thread_ended); }

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
enum { ALLOCATED = 4096 };

void gw_begin(gw_sink sink, gw_thread *threads, size_t thread_count) {
  pthread_once(&key_once, make_key);
  if (room == NULL) {
    if (threads == NULL) {
      // Pages that are never touched take no memory.
      thread_count = ALLOCATED;
      threads = mmap(NULL, thread_count * sizeof(gw_thread), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (threads == MAP_FAILED) return;
    }
    room_count = thread_count;
    __atomic_store_n(&room, threads, __ATOMIC_RELEASE);
  }
  atomic_store(&current_sink, sink);
  __atomic_store_n(&gw_switch, 1, __ATOMIC_RELEASE);
}

void gw_end(void) {
  __atomic_store_n(&gw_switch, 0, __ATOMIC_RELEASE);
  atomic_store(&current_sink, NULL);
}

void gw_forked(void) {
  gw_end();
  __atomic_store_n(&room, NULL, __ATOMIC_RELEASE);
  mine = NULL;
  pthread_setspecific(at_thread_end, NULL);
}

// Puts the main queue below the things that the main thread already holds.
static void hold_main(gw_thread *self) {
  if (gw_tid(self) != (uint32_t)getpid() || main_thing.instance == 0 || self->depth >= GW_HOLDS) return;
  for (uint32_t index = 0; index < self->depth; index++)
    if (self->holds[index].thing.instance == main_thing.instance) return;
  for (uint32_t index = self->depth; index > 0; index--)
    put(&self->holds[index], &self->holds[index - 1], sizeof(gw_hold));
  const gw_hold main_hold = {.thing = main_thing};
  put(&self->holds[0], &main_hold, sizeof main_hold);
  PUT(self->depth, self->depth + 1);
}

void gw_set_main(gw_thing thing) {
  main_thing = thing;
  gw_thread *self = gw_self();
  if (self != NULL) hold_main(self);
}

static gw_thread *new_record(void) {
  gw_thread *threads = __atomic_load_n(&room, __ATOMIC_ACQUIRE);
  if (threads == NULL || is_inside) return NULL;
  is_inside = true;
  uint32_t tid = (uint32_t)syscall(SYS_gettid);
  gw_thread *found = NULL;
  for (size_t index = 0; index < room_count; index++) {
    uint32_t unused = 0;
    if (__atomic_load_n(&threads[index].tid, __ATOMIC_RELAXED) != 0) continue;
    if (__atomic_compare_exchange_n(&threads[index].tid, &unused, tid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      found = &threads[index];
      break;
    }
  }
  if (found != NULL) {
    PUT(found->depth, 0);
    PUT(found->asking_since, 0);
    memset((char *)found + PUBLIC, 0, sizeof(gw_thread) - PUBLIC);
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &low, &size);
      pthread_attr_destroy(&attributes);
    }
    found->stack_low = (uintptr_t)low;
    found->stack_high = (uintptr_t)low + size;
    pthread_setspecific(at_thread_end, found);
    mine = found;
    hold_main(found);
  }
  is_inside = false;
  return found;
}

gw_thread *gw_self(void) {
  if (is_inside) return NULL;
  return mine != NULL ? mine : new_record();
}

uint64_t gw_scope(void) { return mine == NULL ? 0 : mine->scope; }

void gw_set_scope(uint64_t scope) {
  gw_thread *self = gw_self();
  if (self != NULL) self->scope = scope;
}

// MARK: - Stacks

// A range of code that gw_text described.
typedef struct text { uintptr_t from, to; bool is_hidden, is_small; } text;
enum { TEXTS = 1024 };
static text texts[TEXTS];
static size_t text_count;

void gw_text(uintptr_t from, uintptr_t to, bool is_hidden, bool is_small) {
  if (text_count >= TEXTS) return;
  // Hidden ranges come first, because every frame looks them up.
  text given = {from, to, is_hidden, is_small};
  size_t index = text_count++;
  if (is_hidden)
    for (; index > 0 && !texts[index - 1].is_hidden; index--) texts[index] = texts[index - 1];
  texts[index] = given;
}

static inline bool is_hidden(uintptr_t address) {
  for (size_t index = 0; index < text_count && texts[index].is_hidden; index++)
    if (address >= texts[index].from && address < texts[index].to) return true;
  return false;
}

static const text *text_of(uintptr_t address) {
  for (size_t index = 0; index < text_count; index++)
    if (address >= texts[index].from + 8 && address < texts[index].to) return &texts[index];
  return NULL;
}

// A function without frame pointer hides its caller behind the words that it put on the stack. Their number is always
// the same for one return address, so the unwinder is asked for it once. An entry is `address << 16 | words`.
enum { GAPS = 1 << 14, GAP_PROBES = 16 };
static _Atomic uint64_t gaps[GAPS];
static gw_unwinder unwinder;

void gw_set_unwinder(gw_unwinder given) { unwinder = given; }

static _Atomic uint64_t *gap_slot(uintptr_t address) {
  for (size_t probe = 0; probe < GAP_PROBES; probe++) {
    _Atomic uint64_t *slot = &gaps[(address * 0x9E3779B97F4A7C15u >> 50) + probe & (GAPS - 1)];
    uint64_t found = atomic_load_explicit(slot, memory_order_relaxed);
    if (found == 0 || found >> 16 == address) return slot;
  }
  return NULL;
}

typedef struct unwinding {
  uintptr_t frame;    // the next frame pointer of the chain that was not met yet
  uintptr_t address;  // the last return address that was met
  uintptr_t top;      // the end of the stack at that call
  const gw_thread *self;
  uint32_t count;
} unwinding;

static int unwound(void *context, void *given) {
  unwinding *now = given;
  uintptr_t top = unwinder.top(context);
  // The frame of the function at `address` ends here. The function has a frame pointer if the chain leads here.
  while (now->frame != 0 && now->frame + 16 < top) {
    uintptr_t next = *(uintptr_t *)now->frame;
    bool is_on_stack = next >= now->self->stack_low && next + 16 <= now->self->stack_high && (next & 7) == 0;
    now->frame = next > now->frame && is_on_stack ? next : 0;
  }
  if (now->address != 0) {
    bool has_pointer = now->frame + 16 == top;
    uint64_t words = has_pointer || top <= now->top ? 0 : (top - now->top) / 8;
    _Atomic uint64_t *slot = gap_slot(now->address);
    if (words < 0xFFFF && slot != NULL)
      atomic_store_explicit(slot, (uint64_t)now->address << 16 | words, memory_order_relaxed);
  }
  now->address = unwinder.address(context);
  now->top = top;
  return ++now->count > 64 ? 5 : 0;  // 5: the end of the stack
}

static __attribute__((noinline)) void learn(const gw_thread *self) {
  is_inside = true;
  unwinding now = {.self = self, .frame = (uintptr_t)__builtin_frame_address(0)};
  unwinder.backtrace(unwound, &now);
  is_inside = false;
}

enum { DEEPEST = 24 };

// Whether the instruction before the address is a call.
static bool follows_call(uintptr_t address) {
  if (text_of(address) == NULL) return false;
#if defined(__x86_64__)
  const uint8_t *after = (const uint8_t *)address;
  if (after[-5] == 0xE8) return true;
  for (int length = 2; length <= 7; length++)
    if (after[-length] == 0xFF && (after[-length + 1] & 0x38) == 0x10) return true;
  return false;
#else
  return false;
#endif
}

// Some functions of the toolchain have neither a frame pointer nor unwind information. They are small: the first return
// address above is that of their caller.
static uintptr_t search(const gw_thread *self, uintptr_t address, uintptr_t top) {
  const text *own = text_of(address);
  if (own == NULL || !own->is_small) return 0;
  for (uintptr_t words = 1; words <= DEEPEST && top + words * 8 <= self->stack_high; words++)
    if (follows_call(((uintptr_t *)top)[words - 1])) return words;
  return 0;
}

// How many bytes a function put on the stack before its call. 0: it has a frame pointer.
static inline uintptr_t gap(const gw_thread *self, uintptr_t address, uintptr_t top) {
  _Atomic uint64_t *slot = gap_slot(address);
  if (slot == NULL) return 0;
  uint64_t found = atomic_load_explicit(slot, memory_order_relaxed);
  if (found == 0) {
    learn(self);
    found = atomic_load_explicit(slot, memory_order_relaxed);
    // Remembered, so that the unwinder is not asked again about a function that it does not know.
    if (found == 0) {
      found = (uint64_t)address << 16 | search(self, address, top);
      atomic_store_explicit(slot, found, memory_order_relaxed);
    }
  }
  return found >> 16 == address ? (found & 0xFFFF) * 8 : 0;
}

// Each step goes up the stack, to a frame inside it: whatever a function left in the frame pointer, nothing else is
// read.
static inline __attribute__((always_inline)) uint32_t walk(
    const gw_thread *self, uintptr_t *frames, uint32_t count, uint32_t skip) {
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  uint32_t found = 0;
  while (found < count && frame >= self->stack_low && frame + 16 <= self->stack_high && (frame & 7) == 0) {
    uintptr_t next = ((uintptr_t *)frame)[0];
    uintptr_t address = ((uintptr_t *)frame)[1];
    uintptr_t top = frame + 16;
    while (address >= 4096 && found < count) {
      if (skip > 0) skip--;
      else if (!is_hidden(address)) PUT(frames[found++], address);
      uintptr_t words = unwinder.backtrace == NULL || is_inside ? 0 : gap(self, address, top);
      if (words == 0 || (top += words) > self->stack_high) break;
      address = ((uintptr_t *)top)[-1];
    }
    if (address < 4096 || next <= frame) break;
    frame = next;
  }
  return found;
}

__attribute__((no_sanitize("thread", "address"))) uint32_t gw_stack(uintptr_t *frames, uint32_t count, uint32_t skip) {
  gw_thread *self = gw_self();
  return self == NULL ? 0 : walk(self, frames, count, skip);
}

static __thread uintptr_t own_low, own_high;

static void find_own_stack(void) {
  pthread_attr_t attributes;
  void *low = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    own_low = (uintptr_t)low;
    own_high = own_low + size;
  }
  pthread_attr_destroy(&attributes);
}

// In the frame of an asynchronous function this bit is set in the caller's frame pointer: a context lies beside it.
static const uintptr_t ASYNC_FRAME = (uintptr_t)1 << 60;

__attribute__((noinline, no_sanitize("thread", "address"))) uint32_t gw_callers(uintptr_t *frames, uint32_t count) {
  if (own_high == 0) find_own_stack();
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  uint32_t found = 0;
  while (found < count && frame >= own_low && frame + 16 <= own_high && (frame & 7) == 0) {
    uintptr_t next = ((uintptr_t *)frame)[0] & ~ASYNC_FRAME;
    uintptr_t address = ((uintptr_t *)frame)[1];
    if (address < 4096) break;
    frames[found++] = address;
    if (next <= frame) break;
    frame = next;
  }
  return found;
}

// MARK: - Edges that were seen

enum { SEEN = 1 << 18, PROBES = 64 };
static _Atomic uint64_t seen[SEEN];
static _Atomic uint64_t dropped;

static bool is_seen(uint64_t key) {
  key |= 1;
  for (uint64_t probe = 0; probe < PROBES; probe++) {
    uint64_t found = atomic_load_explicit(&seen[((key >> 20) + probe) & (SEEN - 1)], memory_order_relaxed);
    if (found == key) return true;
    if (found == 0) return false;
  }
  return false;
}

static bool is_new(uint64_t key) {
  key |= 1;  // never 0
  for (uint64_t probe = 0; probe < PROBES; probe++) {
    _Atomic uint64_t *slot = &seen[((key >> 20) + probe) & (SEEN - 1)];
    uint64_t found = atomic_load_explicit(slot, memory_order_relaxed);
    if (found == key) return false;
    if (found == 0) {
      if (atomic_compare_exchange_strong(slot, &found, key)) return true;
      if (found == key) return false;
    }
  }
  atomic_fetch_add(&dropped, 1);
  return false;
}

// How many pairs of things the sink got for each pair of classes. Short-lived things that are made by the thousand,
// such as a lock for each callback, must not fill the table. Two things of one class have a higher maximum, because
// only the order of the instances matters there.
enum { PAIRS = 1 << 16, MOST_PAIRS = 64, MOST_NESTING_PAIRS = 4096 };
static _Atomic uint64_t pairs[PAIRS];  // the key in the high 48 bits, the count in the low 16

static uint64_t pair_key(gw_thing from, gw_thing to, uint64_t scope) {
  uint64_t key = gw_mix((uint64_t)from.class_id << 32 | to.class_id);
  key = gw_mix(key ^ scope ^ (uint64_t)(from.is_shared << 1 | to.is_shared) << 62) & ~(uint64_t)0xFFFF;
  return key == 0 ? 0x10000 : key;
}

static bool is_saturated(gw_thing from, gw_thing to, uint64_t scope) {
  uint64_t key = pair_key(from, to, scope);
  uint64_t most = from.class_id == to.class_id ? MOST_NESTING_PAIRS : MOST_PAIRS;
  for (uint64_t probe = 0; probe < PROBES; probe++) {
    _Atomic uint64_t *slot = &pairs[((key >> 24) + probe) & (PAIRS - 1)];
    uint64_t found = atomic_load_explicit(slot, memory_order_relaxed);
    if (found == 0 && atomic_compare_exchange_strong(slot, &found, key | 1)) return false;
    if ((found & ~(uint64_t)0xFFFF) != key) continue;
    if ((found & 0xFFFF) >= most) return true;
    atomic_fetch_add_explicit(slot, 1, memory_order_relaxed);
    return false;
  }
  return false;
}

void gw_withdraw(const gw_edge *edge) {
  uint64_t key = pair_key(edge->from.thing, edge->to.thing, edge->scope);
  for (uint64_t probe = 0; probe < PROBES; probe++) {
    _Atomic uint64_t *slot = &pairs[((key >> 24) + probe) & (PAIRS - 1)];
    uint64_t found = atomic_load_explicit(slot, memory_order_relaxed);
    if (found == 0) return;
    if ((found & ~(uint64_t)0xFFFF) != key) continue;
    if ((found & 0xFFFF) > 0) atomic_fetch_sub_explicit(slot, 1, memory_order_relaxed);
    return;
  }
}

void gw_forget(void) {
  for (size_t index = 0; index < PAIRS; index++) atomic_store_explicit(&pairs[index], 0, memory_order_relaxed);
  for (size_t index = 0; index < SEEN; index++) atomic_store_explicit(&seen[index], 0, memory_order_relaxed);
}

uint64_t gw_dropped(void) { return atomic_load(&dropped); }

static uint64_t scope_of(const gw_thread *self, gw_thing from, gw_thing to) {
  return self->scope != 0 ? self->scope : to.scope != 0 ? to.scope : from.scope;
}

static uint64_t edge_key(const gw_thread *self, gw_thing from, gw_thing to, uint64_t way) {
  uint64_t key = gw_mix(from.instance ^ gw_mix(to.instance ^ gw_mix(scope_of(self, from, to) ^ gw_mix(way))));
  return key ^ (uint64_t)(from.is_shared << 1 | to.is_shared) << 1;
}

// Looks the edge up first, so that a frequent one costs one look-up.
static bool is_news(const gw_thread *self, gw_thing from, gw_thing to, uint64_t way) {
  uint64_t key = edge_key(self, from, to, way);
  return !is_seen(key) && !is_saturated(from, to, scope_of(self, from, to)) && is_new(key);
}

static void hand_over(gw_thread *self, gw_edge *edge) {
  gw_sink sink = atomic_load_explicit(&current_sink, memory_order_acquire);
  if (sink == NULL) return;
  edge->tid = gw_tid(self);
  edge->scope = scope_of(self, edge->from.thing, edge->to.thing);
  edge->number = self->events;
  is_inside = true;  // waits of the sink itself are not recorded
  sink(edge);
  is_inside = false;
}

// MARK: - Guards

// The signals that the thread gave since it held a thing; only the last GW_GIVEN are known.
static uint32_t given_since(const gw_thread *self, const gw_hold *hold, gw_guard *given) {
  uint32_t count = self->gives - hold->gives, room = count < GW_GIVEN ? count : GW_GIVEN;
  for (uint32_t index = 0; index < room; index++) given[index] = self->given[(self->gives - 1 - index) % GW_GIVEN];
  return room;
}

static gw_guard guard_of(gw_thing thing) { return (gw_guard){.instance = thing.instance, .class_id = thing.class_id}; }

static void add_guard(gw_edge *edge, gw_guard guard) {
  for (uint32_t index = 0; index < GW_GUARDS; index++)
    if (edge->guards[index].instance == guard.instance || edge->guards[index].instance == 0) {
      edge->guards[index] = guard;
      return;
    }
}

// The groups that guard the calling thread's waits: it is a member, or it keeps members out.
static uint32_t groups_of(const gw_thread *self, gw_guard *groups) {
  uint32_t count = 0;
  for (uint32_t index = 0; index < self->members.count; index++) {
    groups[count] = self->members.groups[index];
    groups[count++].is_unsure = true;
  }
  for (uint32_t index = 0; index < GW_PARTIES; index++)
    if (self->empties[index].group.instance != 0) groups[count++] = self->empties[index].group;
  return count;
}

// MARK: - Asking and holding

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// The latest void things: each thread removes them from its own record before it asks.
enum { VOIDS = 256 };
static _Atomic uint64_t voids[VOIDS];
static _Atomic uint64_t void_count;

void gw_void(uint64_t instance) {
  for (size_t index = 0; index < VOIDS; index++)
    if (atomic_load_explicit(&voids[index], memory_order_relaxed) == instance) return;
  uint64_t count = atomic_load(&void_count);
  atomic_store(&voids[count % VOIDS], instance);
  atomic_fetch_add(&void_count, 1);
}

static bool is_void(uint64_t instance) {
  for (size_t index = 0; index < VOIDS; index++)
    if (atomic_load_explicit(&voids[index], memory_order_relaxed) == instance) return true;
  return false;
}

static __attribute__((noinline)) void take_voids_out(gw_thread *self, uint64_t count) {
  self->voids_seen = count;
  uint32_t held = self->depth < GW_HOLDS ? self->depth : GW_HOLDS;
  for (uint32_t index = held; index-- > 0;) {
    if (!is_void(self->holds[index].thing.instance)) continue;
    remove_hold(self, index, held--);
  }
}

static uint32_t recorded(const gw_thread *self) { return self->depth < GW_HOLDS ? self->depth : GW_HOLDS; }

static inline __attribute__((always_inline)) void asks(gw_thread *self, gw_thing thing) {
  put(&self->asking.thing, &thing, sizeof thing);
  PUT(self->asking.frame_count, walk(self, self->asking.frames, GW_FRAMES, 0));
  PUT(self->asking_since, now());
  PUT(self->events, self->events + 1);
}

__attribute__((no_sanitize("thread", "address"))) void gw_waits(gw_thing thing) {
  gw_thread *self = gw_self();
  if (self != NULL) asks(self, thing);
}

__attribute__((no_sanitize("thread", "address"))) bool gw_ask(gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return false;
  bool waits_for_itself = false;
  uint64_t void_things = atomic_load_explicit(&void_count, memory_order_relaxed);
  if (void_things != self->voids_seen) take_voids_out(self, void_things);
  asks(self, thing);
  uint32_t count = recorded(self);
  gw_guard groups[GW_PARTIES * 2];
  uint32_t group_count = groups_of(self, groups);
  // Combined by xor, because the order in which they were taken does not matter.
  uint64_t all = 0;
  for (uint32_t group = 0; group < group_count; group++) all ^= gw_mix(~groups[group].instance);
  for (uint32_t index = 0; index < count; index++)
    if (!self->holds[index].thing.is_shared) all ^= gw_mix(self->holds[index].thing.instance);
  for (uint32_t index = 0; index < count; index++) {
    const gw_hold *hold = &self->holds[index];
    bool is_itself = hold->thing.instance == thing.instance;
    bool is_certain = is_itself && (!hold->thing.is_shared || !thing.is_shared);
    waits_for_itself = waits_for_itself || is_certain;
    gw_guard given[GW_GIVEN];
    uint64_t way = all;
    uint32_t gives = given_since(self, hold, given);
    for (uint32_t signal = 0; signal < gives; signal++) way ^= gw_mix(given[signal].instance);
    // A certain deadlock goes to the sink every time.
    if (!is_certain && !is_news(self, hold->thing, thing, way)) continue;
    gw_edge edge = {.reason = is_certain ? GW_ITSELF : GW_ASKED, .from = *hold, .to = self->asking};
    for (uint32_t signal = 0; signal < gives; signal++) add_guard(&edge, given[signal]);
    for (uint32_t group = 0; group < group_count; group++) add_guard(&edge, groups[group]);
    for (uint32_t other = 0; other < count; other++) {
      const gw_thing *guard = &self->holds[other].thing;
      if (!guard->is_shared && guard->instance != hold->thing.instance) add_guard(&edge, guard_of(*guard));
    }
    hand_over(self, &edge);
  }
  return waits_for_itself;
}

void gw_asked(void) {
  gw_thread *self = gw_self();
  if (self == NULL || self->asking_since == 0) return;
  PUT(self->asking_since, 0);
  PUT(self->events, self->events + 1);
}

// The memory for the next hold; null when there is no room. The hold exists once the depth is incremented.
static gw_hold *next_hold(gw_thread *self) { return self->depth < GW_HOLDS ? &self->holds[self->depth] : NULL; }

static void pushed(gw_thread *self, gw_hold *hold, gw_thing thing) {
  if (hold != NULL) {
    put(&hold->thing, &thing, sizeof thing);
    PUT(hold->gives, self->gives);
  }
  PUT(self->depth, self->depth + 1);
  PUT(self->events, self->events + 1);
}

void gw_enter_at(gw_thing thing, const uintptr_t *frames, uint32_t frame_count) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  gw_hold *hold = next_hold(self);
  if (hold != NULL) {
    PUT(hold->frame_count, frame_count < GW_FRAMES ? frame_count : GW_FRAMES);
    put(hold->frames, frames, hold->frame_count * sizeof(uintptr_t));
  }
  pushed(self, hold, thing);
}

__attribute__((no_sanitize("thread", "address"))) void gw_enter(gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  gw_hold *hold = next_hold(self);
  // Libraries between the request and the block may keep no frame pointers, so the stack of the request is better.
  if (hold != NULL && self->asking_since != 0) {
    PUT(hold->frame_count, self->asking.frame_count);
    put(hold->frames, self->asking.frames, hold->frame_count * sizeof(uintptr_t));
  } else if (hold != NULL) {
    PUT(hold->frame_count, walk(self, hold->frames, GW_FRAMES, 0));
  }
  pushed(self, hold, thing);
}

void gw_leave(uint64_t instance) {
  gw_thread *self = gw_self();
  if (self == NULL || self->depth == 0) return;
  PUT(self->events, self->events + 1);
  if (self->depth > GW_HOLDS) {
    // Assumes that a thing beyond GW_HOLDS is left, which was never recorded.
    PUT(self->depth, self->depth - 1);
    return;
  }
  for (uint32_t index = self->depth; index-- > 0;) {
    if (self->holds[index].thing.instance != instance) continue;
    remove_hold(self, index, self->depth);
    for (uint32_t group = 0; group < GW_PARTIES; group++)
      if (self->empties[group].gate == instance) self->empties[group] = (gw_empty){0};
    return;
  }
}

bool gw_holds(uint64_t instance) {
  gw_thread *self = gw_self();
  if (self == NULL) return false;
  for (uint32_t index = recorded(self); index-- > 0;)
    if (self->holds[index].thing.instance == instance) return true;
  return false;
}

uint32_t gw_threads(gw_thread *copies, uint32_t count) {
  gw_thread *threads = __atomic_load_n(&room, __ATOMIC_ACQUIRE);
  uint32_t found = 0;
  for (size_t index = 0; threads != NULL && index < room_count && found < count; index++) {
    if (__atomic_load_n(&threads[index].tid, __ATOMIC_ACQUIRE) == 0) continue;
    // Each word is read atomically, the record as a whole is not: a thread cannot be stopped for this, because it may
    // be the one that hangs.
    const uint64_t *from = (const uint64_t *)&threads[index];
    uint64_t *to = (uint64_t *)&copies[found];
    for (size_t word = 0; word < PUBLIC / sizeof(uint64_t); word++)
      to[word] = __atomic_load_n(&from[word], __ATOMIC_RELAXED);
    memset(to + PUBLIC / sizeof(uint64_t), 0, sizeof(gw_thread) - PUBLIC);
    found++;
  }
  return found;
}

uint32_t gw_thread_id(void) { return (uint32_t)syscall(SYS_gettid); }

bool gw_is_main_thread(void) { return gw_thread_id() == (uint32_t)getpid(); }

bool gw_stay_here(void) {
  int processor = sched_getcpu();
  if (processor < 0 || processor >= CPU_SETSIZE) return false;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  return sched_setaffinity(0, sizeof only, &only) == 0;
}

// MARK: - Signals

// Held for a few stores, and never across a wait.
static void lock_signal(gw_signal *signal) {
  while (__atomic_exchange_n(&signal->lock, 1, __ATOMIC_ACQUIRE) != 0) sched_yield();
}

static void unlock_signal(gw_signal *signal) { __atomic_store_n(&signal->lock, 0, __ATOMIC_RELEASE); }

// Whether two parties can meet. They cannot if they were seen in different tests.
static bool can_meet(uint64_t scope, uint64_t other) { return scope == other || scope == 0 || other == 0; }

// A party is a thing that a thread holds alone; a shared one keeps no other thread out. Its scope is the test in which
// it was seen. When there is no room, a party of another test is forgotten.
static void remember(gw_hold *parties, uint8_t *count, const gw_hold *hold, uint64_t scope) {
  gw_hold *room = *count < GW_PARTIES ? &parties[*count] : NULL;
  for (uint8_t index = 0; index < *count; index++) {
    if (parties[index].thing.scope != scope) {
      if (*count == GW_PARTIES) room = &parties[index];
    } else if (parties[index].thing.instance == hold->thing.instance) {
      return;
    }
  }
  if (room == NULL) return;
  *room = *hold;
  room->thing.scope = scope;
  if (*count < GW_PARTIES) (*count)++;
}

// Gives the sink the new edges between the waiters and the givers of a signal.
static void join(gw_thread *self, gw_signal *signal, gw_thing thing) {
  lock_signal(signal);
  uint8_t waiters = signal->waiters, givers = signal->givers;
  bool counts = !signal->is_ambiguous || signal->needs_all;
  for (uint8_t one = 0; counts && one < givers; one++)
    for (uint8_t other = 0; other < waiters; other++)
      if (signal->giving[one].thing.instance == signal->waiting[other].thing.instance &&
          can_meet(signal->giving[one].thing.scope, signal->waiting[other].thing.scope))
        counts = false;
  gw_hold waiting[GW_PARTIES], giving[GW_PARTIES];
  memcpy(waiting, signal->waiting, sizeof waiting);
  memcpy(giving, signal->giving, sizeof giving);
  // Not for a group: other members may still have to leave it, after one that already has.
  bool is_once = signal->waits <= 1 && !signal->needs_all;
  unlock_signal(signal);
  if (!counts) return;
  for (uint8_t one = 0; one < waiters; one++)
    for (uint8_t other = 0; other < givers; other++) {
      uint64_t scope = scope_of(self, waiting[one].thing, giving[other].thing);
      if (!can_meet(scope, waiting[one].thing.scope) || !can_meet(scope, giving[other].thing.scope)) continue;
      uint64_t way = is_once ? ~thing.instance : thing.instance;
      if (!is_new(edge_key(self, waiting[one].thing, giving[other].thing, way))) continue;
      gw_edge edge = {.reason = GW_SIGNAL, .from = waiting[one], .to = giving[other], .via = thing};
      if (is_once) add_guard(&edge, guard_of(thing));
      hand_over(self, &edge);
    }
}

void gw_signal_wait(gw_signal *signal, gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  lock_signal(signal);
  signal->waits++;
  for (uint32_t index = recorded(self); index-- > 0;)
    if (!self->holds[index].thing.is_shared)
      remember(signal->waiting, &signal->waiters, &self->holds[index], scope_of(self, self->holds[index].thing, thing));
  unlock_signal(signal);
  join(self, signal, thing);
}

// A giver that was declared, not seen, counts in every test.
static void give(
    gw_thread *self, gw_signal *signal, gw_thing thing, const gw_hold *holds, uint32_t count, bool is_declared) {
  lock_signal(signal);
  uint32_t alone = 0;
  for (uint32_t index = count; index-- > 0;) {
    if (holds[index].thing.is_shared) continue;
    alone++;
    uint64_t scope = is_declared ? 0 : scope_of(self, holds[index].thing, thing);
    bool is_known = false, is_first = true;
    for (uint8_t giver = 0; giver < signal->givers; giver++) {
      if (!can_meet(signal->giving[giver].thing.scope, scope)) continue;
      is_first = false;
      if (signal->giving[giver].thing.instance == holds[index].thing.instance) is_known = true;
    }
    if (!is_known && !is_first && alone == 1) signal->is_ambiguous = true;
    remember(signal->giving, &signal->givers, &holds[index], scope);
  }
  // A thread that holds nothing can always give it.
  if (alone == 0) signal->is_ambiguous = true;
  unlock_signal(signal);
  join(self, signal, thing);
}

void gw_signal_try(gw_signal *signal) {
  lock_signal(signal);
  signal->waits++;
  unlock_signal(signal);
}

void gw_signal_give(gw_signal *signal, gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  give(self, signal, thing, self->holds, recorded(self), false);
  if (!signal->needs_all) self->given[self->gives++ % GW_GIVEN] = guard_of(thing);
  gw_members *members = &self->members;
  for (uint32_t index = members->count; index-- > 0;)
    if (members->groups[index].instance == thing.instance) members->groups[index] = members->groups[--members->count];
}

// MARK: - Groups

static bool holds(const gw_thread *self, uint64_t instance, bool alone) {
  uint32_t count = recorded(self);
  for (uint32_t index = 0; index < count; index++)
    if (self->holds[index].thing.instance == instance && !(alone && self->holds[index].thing.is_shared)) return true;
  return false;
}

void gw_group_enter(gw_signal *group, gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  lock_signal(group);
  bool is_gated = false;
  uint32_t count = recorded(self);
  for (uint32_t index = 0; index < GW_PARTIES; index++) {
    if (!group->was_entered) group->gates[index] = index < count ? self->holds[count - 1 - index].thing.instance : 0;
    else if (group->gates[index] != 0 && !holds(self, group->gates[index], false)) group->gates[index] = 0;
    is_gated = is_gated || group->gates[index] != 0;
  }
  group->was_entered = true;
  unlock_signal(group);
  for (uint32_t index = 0; index < GW_PARTIES; index++)
    if (self->empties[index].group.instance == thing.instance) self->empties[index] = (gw_empty){0};
  gw_members *members = &self->members;
  for (uint32_t index = 0; index < members->count; index++)
    if (members->groups[index].instance == thing.instance) return;
  if (!is_gated) return;
  // A group that a block inherited may have been left long ago: the oldest is dropped.
  if (members->count == GW_PARTIES) memmove(members->groups, members->groups + 1, --members->count * sizeof(gw_guard));
  members->groups[members->count++] = guard_of(thing);
}

void gw_group_empty(gw_signal *group, gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  gw_empty *room = NULL;
  for (uint32_t index = 0; index < GW_PARTIES; index++) {
    if (self->empties[index].group.instance == thing.instance) return;
    if (self->empties[index].group.instance == 0) room = &self->empties[index];
  }
  lock_signal(group);
  for (uint32_t index = 0; room != NULL && index < GW_PARTIES; index++)
    if (group->gates[index] != 0 && holds(self, group->gates[index], true))
      *room = (gw_empty){.group = guard_of(thing), .gate = group->gates[index]};
  unlock_signal(group);
}

gw_members gw_memberships(void) {
  gw_thread *self = gw_self();
  return self == NULL ? (gw_members){0} : self->members;
}

gw_members gw_take_over(gw_members members) {
  gw_thread *self = gw_self();
  if (self == NULL) return (gw_members){0};
  gw_members before = self->members;
  self->members = members;
  return before;
}

void gw_signal_declare(gw_signal *signal, gw_thing thing, gw_thing giver) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  gw_hold hold = {.thing = giver};
  hold.frame_count = walk(self, hold.frames, GW_FRAMES, 0);
  give(self, signal, thing, &hold, 1, true);
}
