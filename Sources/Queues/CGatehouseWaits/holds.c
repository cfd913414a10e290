// Holds and requests, from which edges are made.

#include "thread.h"

#include <time.h>

// MARK: - Things that turn out to be held by no thread

// A semaphore made with 1 is held by the thread that takes it, until a thread signals it without holding it. The
// numbers of such semaphores go into this ring, and each thread removes them from its own record before it asks.
enum { VOIDS = 256 };
static uint64_t voids[VOIDS];
static uint64_t void_count;

static bool is_void(uint64_t instance) {
  for (uint32_t index = 0; index < VOIDS; index++)
    if (__atomic_load_n(&voids[index], __ATOMIC_RELAXED) == instance) return true;
  return false;
}

void gw_void(uint64_t instance) {
  if (is_void(instance)) return;
  uint64_t index = __atomic_fetch_add(&void_count, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&voids[index % VOIDS], instance, __ATOMIC_SEQ_CST);
}

// MARK: - The list of holds

// Removes the hold at an index, and moves down those above it.
static void remove_hold(gw_thread *self, uint32_t index) {
  uint32_t last = self->depth - 1;
  for (; index < last; index++) put_words(hold_at(self, index), hold_at(self, index + 1), sizeof(gw_hold));
  PUT(self->depth, last);
}

static __attribute__((noinline)) void take_voids_out(gw_thread *self, uint64_t count) {
  self->voids_seen = count;
  for (uint32_t index = self->depth; index-- > 0;)
    if (is_void(hold_at(self, index)->thing.instance)) remove_hold(self, index);
}

// The memory for the next hold, or null if there is no room. The hold exists once the depth is incremented.
static gw_hold *next_hold(gw_thread *self) {
  if (self->depth < GW_HOLDS) return &self->holds[self->depth];
  return self->depth < GW_HOLDS + GW_MORE && gw_claim_more(self) ? hold_at(self, self->depth) : NULL;
}

// Begins with the number of the thread's record, by which gw_lasts finds it.
uint64_t gw_this_moment(const gw_thread *self) {
  return gw_first_number(self) | (self->holds_begun & (((uint64_t)1 << HOLD_BITS) - 1));
}

static uint64_t next_number(gw_thread *self) {
  self->holds_begun++;
  return gw_this_moment(self);
}

static void pushed(gw_thread *self, gw_hold *hold, gw_thing thing) {
  if (hold != NULL) {
    put_words(&hold->thing, &thing, sizeof thing);
    PUT(hold->number, next_number(self));
    PUT(hold->gives, self->gives);
    PUT(hold->is_ambient, 0);
    PUT(hold->is_declared, 0);
    PUT(hold->submitted, 0);
    PUT(self->depth, self->depth + 1);
  } else {
    PUT(self->beyond, self->beyond + 1);
    LOST(holds);
  }
  PUT(self->events, self->events + 1);
}

// MARK: - Asking

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline __attribute__((always_inline)) void asks(gw_thread *self, gw_thing thing, bool is_limited) {
  put_words(&self->asking.thing, &thing, sizeof thing);
  PUT(self->asking.frame_count, WALK(self, self->asking.frames, 0));
  PUT(self->asking_limited, is_limited);
  PUT(self->asking_since, now());
  PUT(self->events, self->events + 1);
}

__attribute__((no_sanitize("thread", "address"))) void gw_waits(gw_thing thing) {
  gw_thread *self = gw_self();
  if (self != NULL) asks(self, thing, false);
}

__attribute__((no_sanitize("thread", "address"))) void gw_waits_limited(gw_thing thing) {
  gw_thread *self = gw_self();
  if (self != NULL) asks(self, thing, true);
}

gw_side gw_side_of(const gw_hold *hold) {
  if (hold->is_ambient || hold->thing.is_shared >= GW_ACTIVITY) return GW_SIDE_NONE;
  if (gw_is_main(hold->thing.instance) && !hold->is_declared) return GW_SIDE_MAIN;
  return hold->thing.is_shared ? GW_SIDE_SHARED : GW_SIDE_ALONE;
}

// A hash of what the calling thread holds and takes part in. It does not depend on the order.
static uint64_t way_of(gw_thread *self, const gw_guard *groups, uint32_t group_count) {
  uint64_t all = 0;
  for (uint32_t group = 0; group < group_count; group++) all ^= gw_mix(~groups[group].instance ^ groups[group].side);
  for (uint32_t index = 0; index < self->depth; index++) {
    const gw_hold *hold = hold_at(self, index);
    if (gw_side_of(hold) == GW_SIDE_NONE) continue;
    all ^= gw_mix(hold->thing.instance ^ (uint64_t)hold->thing.is_shared << 63 ^ (uint64_t)hold->is_declared << 62);
  }
  return all;
}

// One of 64 bits for a class of guards.
static uint64_t kind_of(uint32_t class_id, uint32_t side) {
  return (uint64_t)1 << (gw_mix((uint64_t)class_id << 8 | side) & 63);
}

// The classes of what the calling thread holds and takes part in besides one thing, as a set of bits. The number of
// guards of a class does not count: otherwise each lock of a long list would make a kind of its own.
static uint64_t kinds_beside(gw_thread *self, uint64_t instance, const gw_guard *groups, uint32_t group_count) {
  uint64_t all = 0;
  for (uint32_t group = 0; group < group_count; group++) all |= kind_of(groups[group].class_id, groups[group].side);
  for (uint32_t index = 0; index < self->depth; index++) {
    const gw_hold *hold = hold_at(self, index);
    gw_side side = gw_side_of(hold);
    if (side != GW_SIDE_NONE && hold->thing.instance != instance) all |= kind_of(hold->thing.class_id, side);
  }
  return all;
}

__attribute__((no_sanitize("thread", "address"))) bool gw_ask(gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return false;
  bool waits_for_itself = false;
  uint64_t void_things = __atomic_load_n(&void_count, __ATOMIC_RELAXED);
  if (void_things != self->voids_seen) take_voids_out(self, void_things);
  asks(self, thing, false);
  if (self->depth == 0) return false;
  gw_guard groups[GW_PARTIES * 2];
  uint32_t group_count = gw_groups_of(self, groups);
  uint64_t all = way_of(self, groups, group_count);
  bool is_private = gw_is_private(thing.made_in);
  for (uint32_t index = 0; index < self->depth; index++) {
    const gw_hold *hold = hold_at(self, index);
    bool is_itself = hold->thing.instance == thing.instance;
    bool is_certain = is_itself && (!hold->thing.is_shared || !thing.is_shared);
    waits_for_itself = waits_for_itself || is_certain;
    bool is_from_private = gw_is_private(hold->thing.made_in);
    gw_guard given[GW_GIVEN];
    uint64_t way = all ^ (is_private || is_from_private ? gw_mix(~all) : 0);
    // An edge from an activity needs no such guards: it has the number of the event at which the signal was given, see
    // gw_edge.
    bool is_activity = hold->thing.is_shared >= GW_ACTIVITY;
    uint32_t gives = is_activity ? 0 : gw_given_since(self, hold, given);
    for (uint32_t signal = 0; signal < gives; signal++) way ^= gw_mix(given[signal].instance);
    if (!is_certain && gw_is_known(self, hold->thing, thing, way)) continue;
    uint64_t kind = kinds_beside(self, hold->thing.instance, groups, group_count);
    for (uint32_t signal = 0; signal < gives; signal++) kind |= kind_of(given[signal].class_id, GW_SIDE_ALONE);
    kind = gw_mix(kind) ^ (is_private || is_from_private);
    // A certain deadlock goes to the sink every time.
    gw_news news = is_certain ? GW_NEWS : gw_news_of(self, hold->thing, thing, way, kind);
    if (news == GW_KNOWN) continue;
    gw_edge edge = {.reason = is_certain ? GW_ITSELF : GW_ASKED, .from = *hold, .to = self->asking, .kind = kind};
    edge.is_last = news == GW_LAST;
    if (!is_certain) edge.privacy = (is_from_private ? GW_FROM_PRIVATE : 0u) | (is_private ? GW_TO_PRIVATE : 0u);
    for (uint32_t signal = 0; signal < gives; signal++) gw_add_guard(&edge, given[signal]);
    // Giving many signals is not unusual. Only if this edge is part of a cycle, the record counts as incomplete.
    if (!is_activity && self->gives - hold->gives > gives) edge.lost_guards++;
    for (uint32_t group = 0; group < group_count; group++) gw_add_guard(&edge, groups[group]);
    for (uint32_t other = 0; other < self->depth; other++) {
      const gw_hold *beside = hold_at(self, other);
      gw_side side = gw_side_of(beside);
      if (side != GW_SIDE_NONE && beside->thing.instance != hold->thing.instance)
        gw_add_guard(&edge, guard_of(beside->thing, side));
    }
    gw_hand_over(self, &edge);
  }
  return waits_for_itself;
}

void gw_asked(void) {
  gw_thread *self = gw_self();
  if (self == NULL || self->asking_since == 0) return;
  PUT(self->asking_since, 0);
  PUT(self->events, self->events + 1);
}

// MARK: - Holding

void gw_enter_at(gw_thing thing, const uintptr_t *frames, uint32_t frame_count) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  gw_hold *hold = next_hold(self);
  if (hold != NULL) {
    PUT(hold->frame_count, frame_count < GW_FRAMES ? frame_count : GW_FRAMES);
    put_words(hold->frames, frames, hold->frame_count * sizeof(uintptr_t));
  }
  pushed(self, hold, thing);
}

__attribute__((no_sanitize("thread", "address"))) void gw_enter(gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  gw_hold *hold = next_hold(self);
  // Prefer the stack of the request: libraries between the request and the block may keep no frame pointers.
  if (hold != NULL && self->asking_since != 0) {
    PUT(hold->frame_count, self->asking.frame_count);
    put_words(hold->frames, self->asking.frames, hold->frame_count * sizeof(uintptr_t));
  } else if (hold != NULL) {
    PUT(hold->frame_count, WALK(self, hold->frames, 0));
  }
  pushed(self, hold, thing);
}

void gw_leave(uint64_t instance) {
  gw_thread *self = gw_self();
  if (self == NULL || self->depth == 0) return;
  PUT(self->events, self->events + 1);
  for (uint32_t index = self->depth; index-- > 0;) {
    if (hold_at(self, index)->thing.instance != instance) continue;
    remove_hold(self, index);
    gw_gate_opened(self, instance);
    return;
  }
  // Not among the recorded holds: it is one for which there was no room.
  if (self->beyond > 0) PUT(self->beyond, self->beyond - 1);
}

bool gw_holds(uint64_t instance) {
  gw_thread *self = gw_self();
  for (uint32_t index = self == NULL ? 0 : self->depth; index-- > 0;)
    if (hold_at(self, index)->thing.instance == instance) return true;
  return false;
}

bool gw_has(gw_thread *self, uint64_t instance, bool is_alone) {
  for (uint32_t index = 0; index < self->depth; index++) {
    const gw_hold *hold = hold_at(self, index);
    if (hold->thing.instance == instance && !hold->is_ambient && !(is_alone && hold->thing.is_shared)) return true;
  }
  return false;
}

bool gw_holds_alone(uint64_t instance) {
  gw_thread *self = gw_self();
  for (uint32_t index = self == NULL ? 0 : self->depth; index-- > 0;) {
    const gw_hold *hold = hold_at(self, index);
    if (hold->thing.instance == instance && !hold->thing.is_shared) return true;
  }
  return false;
}

void gw_alone(uint64_t instance) {
  gw_thread *self = gw_self();
  for (uint32_t index = self == NULL ? 0 : self->depth; index-- > 0;) {
    gw_hold *hold = hold_at(self, index);
    if (hold->thing.instance == instance) PUT(hold->thing.is_shared, 0);
  }
}

// MARK: - Submissions

uint64_t gw_submission(void) {
  const gw_thread *self = gw_self();
  return self == NULL || self->depth == 0 ? 0 : gw_this_moment(self);
}

void gw_submitted(uint64_t instance, uint64_t submission) {
  gw_thread *self = submission == 0 ? NULL : gw_self();
  for (uint32_t index = self == NULL ? 0 : self->depth; index-- > 0;) {
    gw_hold *hold = hold_at(self, index);
    if (hold->thing.instance != instance) continue;
    PUT(hold->submitted, submission);
    return;
  }
}

// MARK: - Private things

uint64_t gw_innermost(void) {
  gw_thread *self = gw_self();
  for (uint32_t index = self == NULL ? 0 : self->depth; index-- > 0;) {
    const gw_hold *hold = hold_at(self, index);
    if (!hold->thing.is_shared && !hold->is_ambient && index < GW_HOLDS) return hold->number;
  }
  return 0;
}

bool gw_is_private(uint64_t made_in) {
  if (made_in == 0) return false;
  gw_thread *self = gw_self();
  for (uint32_t index = self == NULL ? 0 : self->depth; index-- > 0;)
    if (hold_at(self, index)->number == made_in) return true;
  return false;
}
