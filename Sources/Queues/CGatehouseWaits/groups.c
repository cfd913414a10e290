// Groups as guards. What members ask for, and what a thread asks for while it keeps new members out, never happen at
// the same time.

#include "signals.h"
#include "thread.h"

#include <string.h>

// The groups that guard the calling thread's waits: those of which it is a member, and those it keeps members out of.
uint32_t gw_groups_of(const gw_thread *self, gw_guard *groups) {
  uint32_t count = 0;
  for (uint32_t index = 0; index < self->members.count; index++) {
    groups[count] = self->members.groups[index];
    groups[count++].is_unsure = true;
  }
  for (uint32_t index = 0; index < GW_PARTIES; index++)
    if (self->empties[index].group.instance != 0) groups[count++] = self->empties[index].group;
  return count;
}

void gw_gate_opened(gw_thread *self, uint64_t instance) {
  for (uint32_t index = 0; index < GW_PARTIES; index++)
    if (self->empties[index].gate == instance) self->empties[index] = (gw_empty){0};
}

// Reduces the gates to things that every entering thread holds. Returns whether there is a gate left.
static bool narrow_gates(gw_thread *self, gw_signal *group) {
  bool is_gated = false;
  for (uint32_t index = 0; index < GW_PARTIES; index++) {
    uint64_t gate = group->gates[index];
    if (!group->was_entered && index < self->depth) {
      const gw_hold *hold = hold_at(self, self->depth - 1 - index);
      gate = hold->is_ambient ? 0 : hold->thing.instance;
    } else if (gate != 0 && !gw_has(self, gate, false)) {
      gate = 0;
    }
    group->gates[index] = gate;
    is_gated = is_gated || gate != 0;
  }
  group->was_entered = true;
  return is_gated;
}

static bool has(const uint64_t *instances, uint64_t wanted) {
  for (uint32_t index = 0; index < GW_PARTIES; index++)
    if (instances[index] == wanted) return true;
  return false;
}

// Called when the group is entered. Of what the threads held that saw it empty, only things that every entrant needs
// still keep members out. Returns whether there were such threads and none of their things is left.
static bool was_open(gw_signal *group) {
  if (!group->was_closed) return false;
  bool is_gate = false;
  for (uint32_t index = 0; index < GW_PARTIES; index++) {
    if (group->closed[index] != 0 && !has(group->gates, group->closed[index])) group->closed[index] = 0;
    is_gate = is_gate || group->closed[index] != 0;
  }
  return !is_gate;
}

bool gw_group_enter(gw_signal *group, gw_thing thing) {
  gw_thread *self = gw_self();
  if (self == NULL) return false;
  bool is_phase = false;
  for (uint32_t index = 0; index < GW_PARTIES; index++) {
    if (self->empties[index].group.instance != thing.instance) continue;
    self->empties[index] = (gw_empty){0};
    is_phase = true;
  }
  lock_signal(group);
  bool is_gated = narrow_gates(self, group);
  if (is_phase || was_open(group)) group->is_phased = true;
  bool is_phased = group->is_phased;
  unlock_signal(group);
  if (is_phased) return true;
  gw_members *members = &self->members;
  for (uint32_t index = 0; index < members->count; index++)
    if (members->groups[index].instance == thing.instance) return false;
  if (!is_gated) return false;
  // A group that a block inherited may have been left long ago, so the oldest is dropped.
  if (members->count == GW_PARTIES) memmove(members->groups, members->groups + 1, --members->count * sizeof(gw_guard));
  members->groups[members->count++] = guard_of(thing, GW_SIDE_MEMBER);
  return false;
}

// Called while the group was never entered, so its gates are unknown: they may be what the thread holds alone. Returns
// the outermost of these things, or 0 if there is none.
static uint64_t close_in_advance(gw_thread *self, gw_signal *group) {
  uint64_t held[GW_PARTIES] = {0}, outermost = 0;
  for (uint32_t index = self->depth, count = 0; index-- > 0 && count < GW_PARTIES;) {
    const gw_hold *hold = hold_at(self, index);
    if (hold->is_ambient || hold->thing.is_shared) continue;
    if (group->was_closed && !has(group->closed, hold->thing.instance)) continue;
    held[count++] = outermost = hold->thing.instance;
  }
  if (outermost == 0) return 0;
  memcpy(group->closed, held, sizeof held);
  group->was_closed = true;
  return outermost;
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
  uint64_t gate = room != NULL && !group->is_phased && !group->was_entered ? close_in_advance(self, group) : 0;
  if (gate != 0) *room = (gw_empty){.group = guard_of(thing, GW_SIDE_EMPTY), .gate = gate};
  for (uint32_t index = 0; room != NULL && !group->is_phased && index < GW_PARTIES; index++)
    if (group->gates[index] != 0 && gw_has(self, group->gates[index], true))
      *room = (gw_empty){.group = guard_of(thing, GW_SIDE_EMPTY), .gate = group->gates[index]};
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

