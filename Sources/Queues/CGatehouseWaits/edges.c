// Remembers which edges the sink has received. A frequent edge costs one look-up in the table.

#include "gatehouse_table.h"
#include "thread.h"

static gw_sink current_sink;
static gw_table seen;

// The maximum number of pairs of things that the sink gets for each pair of classes, and for each set of classes that
// guard them. Short-lived things that are made by the thousand, such as a lock for each callback, must not fill the
// sink. Two things of one class have a higher maximum, because only the order of the instances matters there.
// Activities have a lower one, because all of them are short-lived. The first edge beyond the maximum is marked, and
// the sink gets no more of its kind.
enum { MOST_PAIRS = 1024, MOST_NESTING_PAIRS = 8192, MOST_ACTIVITIES = 256 };
static gw_table pairs;

void gw_begin(gw_sink sink, gw_room room) {
  if (!gw_table_make(&seen, 20) || !gw_table_make(&pairs, 18)) return;
  gw_threads_begin(room);
  __atomic_store_n(&current_sink, sink, __ATOMIC_SEQ_CST);
  __atomic_store_n(&gw_switch, 1, __ATOMIC_RELEASE);
}

void gw_end(void) {
  __atomic_store_n(&gw_switch, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&current_sink, NULL, __ATOMIC_SEQ_CST);
}

void gw_forked(void) {
  gw_end();
  gw_threads_forked();
}

// MARK: - Keys

static uint64_t edge_key(const gw_thread *self, gw_thing from, gw_thing to, uint64_t way) {
  uint64_t key = gw_mix(from.instance ^ gw_mix(to.instance ^ gw_mix(scope_of(self, from, to) ^ gw_mix(way))));
  return gw_mix(key ^ (uint64_t)(from.is_shared << 1 | to.is_shared));
}

static uint64_t pair_key(gw_thing from, gw_thing to, uint64_t scope, uint64_t kind) {
  uint64_t key = gw_mix((uint64_t)from.class_id << 32 | to.class_id);
  return gw_mix(key ^ scope ^ gw_mix(kind ^ (uint64_t)(from.is_shared << 3 | to.is_shared) << 58));
}

// MARK: - New edges

static bool is_first(const gw_thread *self, gw_thing from, gw_thing to, uint64_t way) {
  bool is_new = false;
  if (gw_table_add(&seen, edge_key(self, from, to, way), &is_new) == NULL) LOST(edges);
  return is_new;
}

// The number of edges of this kind, with this one, that the sink was to get; 0: it has got all that it gets.
static uint64_t next_of_pair(gw_thing from, gw_thing to, uint64_t scope, uint64_t kind, uint64_t most) {
  gw_row *row = gw_table_add(&pairs, pair_key(from, to, scope, kind), NULL);
  if (row == NULL) return 1;
  if (__atomic_load_n(&row->value, __ATOMIC_RELAXED) > most) return 0;
  uint64_t number = __atomic_add_fetch(&row->value, 1, __ATOMIC_RELAXED);
  return number > most + 1 ? 0 : number;
}

bool gw_is_known(const gw_thread *self, gw_thing from, gw_thing to, uint64_t way) {
  return gw_table_find(&seen, edge_key(self, from, to, way)) != NULL;
}

gw_news gw_news_of(const gw_thread *self, gw_thing from, gw_thing to, uint64_t way, uint64_t kind) {
  uint64_t most = from.class_id == to.class_id ? MOST_NESTING_PAIRS : MOST_PAIRS;
  if (from.is_shared >= GW_ACTIVITY) most = MOST_ACTIVITIES;
  uint64_t number = next_of_pair(from, to, scope_of(self, from, to), kind, most);
  if (number == 0 || !is_first(self, from, to, way)) return GW_KNOWN;
  return number > most ? GW_LAST : GW_NEWS;
}

void gw_withdraw(const gw_edge *edge) {
  gw_row *row = gw_table_find(&pairs, pair_key(edge->from.thing, edge->to.thing, edge->scope, edge->kind));
  if (row != NULL && __atomic_load_n(&row->value, __ATOMIC_RELAXED) > 0)
    __atomic_fetch_sub(&row->value, 1, __ATOMIC_RELAXED);
}

void gw_forget(void) {
  gw_table_clear(&pairs);
  gw_table_clear(&seen);
}

// MARK: - The sink

void gw_add_guard(gw_edge *edge, gw_guard guard) {
  for (uint32_t index = 0; index < GW_GUARDS; index++)
    if (edge->guards[index].instance == 0 ||
        (edge->guards[index].instance == guard.instance && edge->guards[index].side == guard.side)) {
      edge->guards[index] = guard;
      return;
    }
  edge->lost_guards++;
}

void gw_hand_over(gw_thread *self, gw_edge *edge) {
  gw_sink sink = __atomic_load_n(&current_sink, __ATOMIC_ACQUIRE);
  if (sink == NULL) return;
  edge->tid = gw_tid(self);
  edge->scope = scope_of(self, edge->from.thing, edge->to.thing);
  edge->number = self->events;
  // A loop is no GW_SIDE_RUN: its turns run at the same time.
  edge->side = (uint32_t)(edge->from.thing.is_shared == GW_ACTIVITY ? GW_SIDE_RUN : gw_side_of(&edge->from));
  gw_is_inside = true;  // waits of the sink itself are not recorded
  sink(edge);
  gw_is_inside = false;
}
