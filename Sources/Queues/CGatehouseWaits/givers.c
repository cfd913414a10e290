// Records the givers of a signal and the things that they hold. Each further giver can only show that the signal needs
// less.

#include "signals.h"
#include "thread.h"

// Whether the signal was given before, where the scope can meet. The number of a giver that was only declared is 0.
static bool was_given_in(const gw_signal *signal, uint64_t scope) {
  for (uint8_t giver = 0; giver < signal->givers; giver++)
    if (signal->giving[giver].number != 0 && gw_can_meet(signal->giving[giver].thing.scope, scope)) return true;
  return false;
}

static void remove_giver(gw_signal *signal, uint8_t index) {
  uint8_t last = --signal->givers;
  signal->giving[index] = signal->giving[last];
  signal->given_at[index] = signal->given_at[last];
}

static void leave_out(gw_signal *signal, uint64_t instance) {
  for (uint8_t index = 0; index < signal->needless_count; index++)
    if (signal->needless[index] == instance) return;
  if (signal->needless_count == GW_NEEDLESS) {
    signal->is_ambiguous = true;
  } else {
    signal->needless[signal->needless_count++] = instance;
  }
}

// Records that a hold's owner gives the signal. The innermost hold decides whether givers differ. `is_needless`: the
// signal was given without it. Returns false if there is no room for what the signal needs.
static bool note_giver(
    gw_signal *signal, const gw_hold *hold, uint64_t scope, bool is_innermost, bool is_needless, uint64_t event) {
  bool was_given = false, is_known = false, is_new = true;
  for (uint8_t giver = 0; giver < signal->givers; giver++) {
    if (!gw_can_meet(signal->giving[giver].thing.scope, scope)) continue;
    is_new = false;
    if (signal->giving[giver].thing.instance != hold->thing.instance) continue;
    is_known = true;
    if (signal->giving[giver].number != 0) {
      was_given = true;
    } else {
      signal->giving[giver].number = hold->number;
      signal->giving[giver].submitted = hold->submitted;
    }
  }
  if (!is_known && !is_new && is_innermost) signal->is_ambiguous = true;
  if (is_needless && !is_known) {
    leave_out(signal, hold->thing.instance);
    return true;
  }
  gw_remember(signal->giving, &signal->givers, hold, scope);
  bool is_noted = false;
  for (uint8_t giver = 0; giver < signal->givers; giver++) {
    if (signal->giving[giver].thing.instance != hold->thing.instance) continue;
    signal->given_at[giver] = was_given ? UINT64_MAX : event;
    is_noted = true;
  }
  return is_noted;
}

// Leaves out what earlier givers had alone and the thread, which gives the signal now, does without. The locks around
// that of a condition differ from giver to giver: a signal needs only those that each of them had.
static void leave_out_others(gw_thread *self, gw_signal *signal, gw_thing thing) {
  for (uint8_t giver = signal->givers; giver-- > 0;) {
    gw_thing had = signal->giving[giver].thing;
    bool is_seen = signal->giving[giver].number != 0 && gw_can_meet(had.scope, scope_of(self, had, thing));
    if (!is_seen || had.is_shared || gw_has(self, had.instance, true)) continue;
    leave_out(signal, had.instance);
    remove_giver(signal, giver);
  }
}

// Forgets the activities that gave the signal: a thread that runs none gives it again and again. Once may be for
// another reason, such as a beginning or an end.
static void forget_activities(gw_signal *signal) {
  for (uint8_t giver = signal->givers; giver-- > 0;)
    if (signal->giving[giver].thing.is_shared == GW_ACTIVITY) remove_giver(signal, giver);
}

static void give(gw_thread *self, gw_signal *signal, gw_thing thing, bool has_activities) {
  lock_signal(signal);
  has_activities = has_activities && signal->given_outside < 2;
  // Exclusive holds come first: they decide whether givers differ.
  bool holds_any = false, runs_any = false;
  bool was_given = !signal->needs_all && was_given_in(signal, scope_of(self, (gw_thing){0}, thing));
  uint32_t lost[GW_PARTIES], lost_count = 0;
  for (int activities = 0; activities <= has_activities; activities++)
    for (uint32_t index = self->depth; index-- > 0;) {
      const gw_hold *hold = hold_at(self, index);
      if (hold->is_ambient || hold->thing.is_shared != (activities ? GW_ACTIVITY : 0u)) continue;
      bool is_innermost = !holds_any;
      holds_any = true;
      runs_any = runs_any || activities;
      uint64_t scope = scope_of(self, hold->thing, thing);
      bool is_noted = note_giver(signal, hold, scope, is_innermost, was_given && !activities, self->events);
      if (!is_noted) signal->lost_givers = true;
      if (!is_noted && lost_count < GW_PARTIES) lost[lost_count++] = index;
    }
  // A thread that holds nothing and runs no known activity can always give the signal.
  if (!holds_any) signal->is_ambiguous = true;
  if (!signal->needs_all) {
    leave_out_others(self, signal, thing);
    if (!runs_any && signal->given_outside < 2) signal->given_outside++;
    if (signal->given_outside == 2) forget_activities(signal);
  }
  unlock_signal(signal);
  gw_join(self, signal, thing, true);
  for (uint32_t index = 0; index < lost_count; index++) {
    gw_hold hold = *hold_at(self, lost[index]);
    hold.thing.scope = scope_of(self, hold.thing, thing);
    gw_join_lost_giver(self, signal, thing, &hold);
  }
}

bool gw_signal_has_giver(gw_signal *signal) {
  lock_signal(signal);
  bool has_giver = signal->givers > 0 && (!signal->is_ambiguous || signal->needs_all);
  unlock_signal(signal);
  return has_giver;
}

void gw_signal_give(gw_signal *signal, gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  give(self, signal, thing, true);
  self->given[self->gives++ % GW_GIVEN] = guard_of(thing, GW_SIDE_ALONE);
}

void gw_group_leave(gw_signal *group, gw_thing thing, bool is_whole) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  give(self, group, thing, is_whole);
  gw_members *members = &self->members;
  for (uint32_t index = members->count; index-- > 0;)
    if (members->groups[index].instance == thing.instance) members->groups[index] = members->groups[--members->count];
}

void gw_signal_declare(gw_signal *signal, gw_thing thing, gw_thing giver) {
  gw_thread *self = gw_self();
  if (self == NULL) return;
  gw_hold hold = {.thing = giver};
  hold.frame_count = WALK(self, hold.frames, 0);
  lock_signal(signal);
  // Declared, not seen: it counts in every test.
  note_giver(signal, &hold, 0, true, false, 0);
  unlock_signal(signal);
  gw_join(self, signal, thing, true);
}
