// Signals: one thread waits, another gives. This part records the waiters, and makes the edges to the givers' things.

#include "signals.h"
#include "thread.h"

#include <string.h>

// The signals that the thread has given since a hold began. Only the last GW_GIVEN are known.
uint32_t gw_given_since(const gw_thread *self, const gw_hold *hold, gw_guard *given) {
  uint32_t count = self->gives - hold->gives, known = count < GW_GIVEN ? count : GW_GIVEN;
  for (uint32_t index = 0; index < known; index++) given[index] = self->given[(self->gives - 1 - index) % GW_GIVEN];
  return known;
}

// Whether two parties can meet. They cannot if they were seen in different tests.
bool gw_can_meet(uint64_t scope, uint64_t other) { return scope == other || scope == 0 || other == 0; }

// The maximum number of parties of one class that are remembered: the members of a group must not fill the list before
// the first of another class.
enum { PARTIES_OF_A_CLASS = 2 };

static bool is_crowded(const gw_hold *parties, uint8_t count, const gw_hold *hold, uint64_t scope) {
  uint8_t alike = 0;
  for (uint8_t index = 0; index < count; index++)
    if (parties[index].thing.class_id == hold->thing.class_id && parties[index].thing.scope == scope) alike++;
  return alike >= PARTIES_OF_A_CLASS;
}

// The index of a party, or `count` if it is not in the list.
static uint8_t party_index(const gw_hold *parties, uint8_t count, uint64_t instance, uint64_t scope) {
  uint8_t index = 0;
  while (index < count && (parties[index].thing.instance != instance || parties[index].thing.scope != scope)) index++;
  return index;
}

// Remembers a party: a thing that a thread holds alone, or an activity. A shared thing keeps no other thread out. The
// party's scope is the test in which it was seen. When there is no room, a party of another test is forgotten.
void gw_remember(gw_hold *parties, uint8_t *count, const gw_hold *hold, uint64_t scope) {
  if (hold->thing.is_shared == GW_ACTIVITY && is_crowded(parties, *count, hold, scope)) return;
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

// A waiter and a giver of a signal.
typedef struct pair {
  gw_thing signal;
  bool is_once, is_answer, gave_more;
  bool is_last;  // other parties of the signal do not meet these two
  const gw_hold *waiting, *giving;
  gw_guard waiting_in;
  const gw_guard *waiting_after;
  uint64_t given_at;
} pair;

// Gives the sink the edge between a waiter and a giver, if it is new.
static void join_pair(gw_thread *self, const pair *given) {
  gw_thing from = given->waiting->thing, to = given->giving->thing, signal = given->signal;
  bool is_activity = to.is_shared == GW_ACTIVITY;
  uint64_t way = gw_mix(given->waiting_in.instance) ^ (given->is_once ? ~signal.instance : signal.instance);
  if (is_activity && given->given_at == UINT64_MAX) way ^= 1ull << 63;
  if (given->is_answer) way ^= 1ull << 62;
  if (gw_is_known(self, from, to, way)) return;
  // Edges through signals have room of their own.
  uint64_t kind = gw_mix((uint64_t)signal.class_id << 2 | (given->is_answer ? 2u : 0u) | given->is_once);
  gw_news news = gw_news_of(self, from, to, way, kind);
  if (news == GW_KNOWN) return;
  gw_edge edge = {
      .reason = GW_SIGNAL, .from = *given->waiting, .to = *given->giving, .via = signal, .kind = kind,
      .is_last = news == GW_LAST || given->is_last, .is_answer = given->is_answer};
  // The waiter needs the activity to continue, whatever runs beside it.
  if (is_activity) {
    edge.to.thing.is_shared = 0;
    edge.given_at = given->given_at;
  }
  if (given->is_once) gw_add_guard(&edge, guard_of(signal, GW_SIDE_ALONE));
  if (given->waiting_in.instance != 0) gw_add_guard(&edge, given->waiting_in);
  for (uint32_t index = 0; given->is_answer && index < GW_GIVEN && given->waiting_after[index].instance != 0; index++)
    gw_add_guard(&edge, given->waiting_after[index]);
  if (given->is_answer && given->gave_more) edge.lost_guards++;
  gw_hand_over(self, &edge);
}

// Whether the giver's block was submitted during the waiter's hold, before the wait, by the waiter's thread.
static bool is_answer(const gw_hold *waiting, uint64_t waiting_at, const gw_hold *giving) {
  return giving->submitted != 0 && giving->submitted >> HOLD_BITS == waiting_at >> HOLD_BITS &&
         waiting->number <= giving->submitted && giving->submitted <= waiting_at;
}

// One waiter of a signal.
typedef struct waiter {
  const gw_hold *hold;
  gw_guard in;
  const gw_guard *after;
  uint64_t at;
  bool gave_more;
} waiter;

static waiter waiter_at(const gw_signal *signal, uint8_t index) {
  return (waiter){
      .hold = &signal->waiting[index], .in = signal->waiting_in[index], .after = signal->waiting_after[index],
      .at = signal->waiting_at[index], .gave_more = signal->gave_more[index]};
}

// Whether the signal proves anything to these two: not if both hold the same thing.
static bool is_same(const gw_hold *waiting, const gw_hold *giving) {
  return giving->thing.instance == waiting->thing.instance && gw_can_meet(giving->thing.scope, waiting->thing.scope);
}

// Whether a giver had the waiter's thing, and another one did without it.
static bool is_needless(const gw_signal *known, const gw_hold *waiting) {
  for (uint8_t index = 0; index < known->needless_count; index++)
    if (known->needless[index] == waiting->thing.instance) return true;
  return false;
}

static bool counts(const gw_signal *known) {
  if (known->is_ambiguous && !known->needs_all) return false;
  for (uint8_t one = 0; one < known->givers; one++)
    for (uint8_t other = 0; other < known->waiters; other++)
      if (is_same(&known->waiting[other], &known->giving[one])) return false;
  for (uint8_t one = 0; one < known->waiters; one++)
    if (is_needless(known, &known->waiting[one])) return false;
  return true;
}

// Gives the sink the new edges between one waiter and one giver.
static void meet(
    gw_thread *self, const gw_signal *known, gw_thing thing, const waiter *one, const gw_hold *giving,
    uint64_t given_at, bool is_last) {
  uint64_t scope = scope_of(self, one->hold->thing, giving->thing);
  if (!gw_can_meet(scope, one->hold->thing.scope) || !gw_can_meet(scope, giving->thing.scope)) return;
  pair found = {
      // Not for a group: other members may still have to leave it, after one that already has.
      .signal = thing, .is_once = (known->waits <= 1 || known->is_single) && !known->needs_all, .waiting = one->hold,
      .giving = giving, .waiting_in = one->in, .waiting_after = one->after, .gave_more = one->gave_more,
      .given_at = given_at, .is_last = is_last};
  join_pair(self, &found);
  // A signal that is given several times may be given by another block the next time.
  bool is_certain = known->needs_all || (found.is_once && given_at != UINT64_MAX);
  found.is_answer = is_certain && one->at != 0 && is_answer(one->hold, one->at, giving);
  if (found.is_answer) join_pair(self, &found);
}

static gw_signal copy_of(gw_signal *signal) {
  lock_signal(signal);
  const gw_signal known = *signal;
  unlock_signal(signal);
  return known;
}

// Gives the sink the new edges between the waiters and the givers of a signal. The new ones are those of a new giver,
// or of a new waiter.
void gw_join(gw_thread *self, gw_signal *signal, gw_thing thing, bool has_new_giver) {
  const gw_signal known = copy_of(signal);
  if (!counts(&known)) return;
  bool is_last = has_new_giver ? known.lost_waiters : known.lost_givers;
  for (uint8_t one = 0; one < known.waiters; one++)
    for (uint8_t other = 0; other < known.givers; other++) {
      waiter waiting = waiter_at(&known, one);
      meet(self, &known, thing, &waiting, &known.giving[other], known.given_at[other], is_last);
    }
}

// The same for a waiter for which there was no room.
static void join_lost_waiter(gw_thread *self, gw_signal *signal, gw_thing thing, const waiter *lost) {
  const gw_signal known = copy_of(signal);
  bool is_none = !counts(&known) || is_needless(&known, lost->hold);
  for (uint8_t one = 0; one < known.givers; one++) is_none = is_none || is_same(lost->hold, &known.giving[one]);
  for (uint8_t one = 0; !is_none && one < known.givers; one++)
    meet(self, &known, thing, lost, &known.giving[one], known.given_at[one], known.lost_givers);
}

// The same for a giver for which there was no room.
void gw_join_lost_giver(gw_thread *self, gw_signal *signal, gw_thing thing, const gw_hold *lost) {
  const gw_signal known = copy_of(signal);
  bool is_none = !counts(&known);
  for (uint8_t one = 0; one < known.waiters; one++) is_none = is_none || is_same(&known.waiting[one], lost);
  for (uint8_t one = 0; !is_none && one < known.waiters; one++) {
    waiter waiting = waiter_at(&known, one);
    meet(self, &known, thing, &waiting, lost, self->events, known.lost_waiters);
  }
}

// The innermost activity of the calling thread, as a guard; an instance of 0 if there is none.
static gw_guard activity_of(gw_thread *self) {
  for (uint32_t index = self->depth; index-- > 0;)
    if (hold_at(self, index)->thing.is_shared == GW_ACTIVITY)
      return guard_of(hold_at(self, index)->thing, GW_SIDE_RAN);
  return (gw_guard){0};
}

// Records what a new waiter has submitted and given by now.
static void note_moment(const gw_thread *self, gw_signal *signal, uint8_t party, const gw_hold *hold) {
  memset(signal->waiting_after[party], 0, sizeof signal->waiting_after[party]);
  uint32_t given = gw_given_since(self, hold, signal->waiting_after[party]);
  signal->gave_more[party] = self->gives - hold->gives > given;
  signal->waiting_at[party] = gw_this_moment(self);
}

// Records that a thread waits that has the hold. Returns false if there is no room for that.
static bool note_waiter(gw_thread *self, gw_signal *signal, const gw_hold *hold, gw_thing thing, gw_guard activity) {
  uint64_t scope = scope_of(self, hold->thing, thing);
  bool is_known = party_index(signal->waiting, signal->waiters, hold->thing.instance, scope) < signal->waiters;
  gw_remember(signal->waiting, &signal->waiters, hold, scope);
  uint8_t party = party_index(signal->waiting, signal->waiters, hold->thing.instance, scope);
  if (party == signal->waiters) return false;
  // If another activity waits with the same thing, it may do so while the first one waits for something else.
  bool is_other = is_known && signal->waiting_in[party].instance != activity.instance;
  signal->waiting_in[party] = is_other ? (gw_guard){0} : activity;
  if (!is_known) note_moment(self, signal, party, hold);
  return true;
}

void gw_signal_wait(gw_signal *signal, gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  gw_guard activity = activity_of(self);
  lock_signal(signal);
  signal->waits++;
  bool has_lost = false;
  for (uint32_t index = self->depth; index-- > 0;) {
    const gw_hold *hold = hold_at(self, index);
    if (!hold->thing.is_shared && !note_waiter(self, signal, hold, thing, activity)) has_lost = true;
  }
  if (has_lost) signal->lost_waiters = true;
  unlock_signal(signal);
  gw_join(self, signal, thing, false);
  for (uint32_t index = self->depth; has_lost && index-- > 0;) {
    gw_hold hold = *hold_at(self, index);
    uint64_t scope = hold.thing.scope = scope_of(self, hold.thing, thing);
    if (hold.thing.is_shared) continue;
    lock_signal(signal);
    bool is_known = party_index(signal->waiting, signal->waiters, hold.thing.instance, scope) < signal->waiters;
    unlock_signal(signal);
    gw_guard after[GW_GIVEN] = {{0}};
    uint32_t given = gw_given_since(self, &hold, after);
    waiter lost = {
        .hold = &hold, .in = activity, .after = after, .at = gw_this_moment(self),
        .gave_more = self->gives - hold.gives > given};
    if (!is_known) join_lost_waiter(self, signal, thing, &lost);
  }
}

void gw_signal_try(gw_signal *signal) {
  lock_signal(signal);
  signal->waits++;
  unlock_signal(signal);
}
