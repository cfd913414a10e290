// The rows of the record.

#include "record.h"

#include <string.h>
#include <time.h>

#include "gatehouse_mix.h"
#include "gatehouse_table.h"

// Classes by their keys, and the number of edges and waits for each pair of classes.
static gw_table class_ids, class_pairs;
// The number of labels seen at each place that differ only in their numbers.
static gw_table label_counts;

bool record_begin(void) {
  return gw_table_make(&class_ids, 18) && gw_table_make(&class_pairs, 18) && gw_table_make(&label_counts, 14);
}

// The next row of a table, or null if there is no room. It is counted in either case.
static void *next_row(gwr_table *table, size_t size, uint64_t *number) {
  *number = __atomic_add_fetch(&table->count, 1, __ATOMIC_RELAXED);
  return *number > table->room ? NULL : (char *)record + table->at + (*number - 1) * size;
}

// MARK: - Classes

gwr_class *record_class_row(uint32_t class_id) {
  return !record_is_on() || class_id == 0 || class_id > record->classes.room ? NULL
    : &ROWS(gwr_class, classes)[class_id - 1];
}

// The number of the maker's frames that identify a class: its own, and those of a few wrappers.
enum { MAKERS = 5 };
// The maximum number of labels of one place that differ only in their numbers and have a class each. Further labels
// share a class: otherwise a server that numbers its connections would fill the record.
enum { NUMBERED_LABELS = 64 };

static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Hashes a label. A number in it counts as one character, whatever its digits.
static uint64_t folded_key(uint64_t key, const char *label) {
  for (const char *letter = label; *letter != 0; letter++)
    if (!is_digit(*letter)) key = gw_mix(key ^ (uint8_t)*letter);
    else if (!is_digit(letter[1])) key = gw_mix(key ^ '0');
  return key;
}

static uint64_t label_key(uint64_t key, const char *label) {
  for (const char *letter = label; *letter != 0; letter++) key = gw_mix(key ^ (uint8_t)*letter);
  return key;
}

static gw_row *class_slot(uint64_t place, const char *label) {
  if (label == NULL) return gw_table_add(&class_ids, place, NULL);
  uint64_t own = label_key(place, label), folded = folded_key(place, label);
  gw_row *known = gw_table_find(&class_ids, own);
  if (known != NULL || own == folded) return known != NULL ? known : gw_table_add(&class_ids, own, NULL);
  gw_row *labels = gw_table_add(&label_counts, folded, NULL);
  if (labels == NULL || __atomic_fetch_add(&labels->value, 1, __ATOMIC_RELAXED) >= NUMBERED_LABELS)
    return gw_table_add(&class_ids, gw_mix(folded), NULL);
  return gw_table_add(&class_ids, own, NULL);
}

uint32_t record_class(gwr_kind kind, const char *label, uintptr_t address) {
  uintptr_t frames[GW_FRAMES];
  return record_class_at(kind, label, address, frames, record_is_on() ? gw_stack(frames, GW_FRAMES, 0) : 0);
}

uint32_t record_class_at(gwr_kind kind, const char *label, uintptr_t address, const uintptr_t *frames, uint32_t count) {
  if (!record_is_on()) return 0;
  uint64_t place = gw_mix(kind ^ gw_mix(address));
  if (address == 0)
    for (uint32_t index = 0; index < count && index < MAKERS; index++) place = gw_mix(place ^ frames[index]);
  gw_row *slot = class_slot(place, label);
  if (slot == NULL) return 0;
  uint64_t id = __atomic_load_n(&slot->value, __ATOMIC_ACQUIRE);
  if (id != 0) return (uint32_t)id;
  gwr_class *row = next_row(&record->classes, sizeof *row, &id);
  if (row == NULL) return 0;
  row->address = address;
  if (label != NULL) strncpy(row->label, label, GWR_LABEL - 1);
  row->frame_count = count;
  memcpy(row->frames, frames, count * sizeof(uintptr_t));
  __atomic_store_n(&row->kind, kind, __ATOMIC_RELEASE);
  // If two threads are first at the same time, they make two classes. The one stored last is used from then on.
  __atomic_store_n(&slot->value, id, __ATOMIC_RELEASE);
  return (uint32_t)id;
}

gwr_queue *record_queue(void) {
  uint64_t number;
  return record_is_on() ? next_row(&record->queues, sizeof(gwr_queue), &number) : NULL;
}

// MARK: - Edges

// The maximum number of reports that threads of the same class wait for themselves.
enum { MOST_ITSELF = 64 };

static __thread uint32_t run_number __attribute__((tls_model("initial-exec")));
uint32_t record_run(void) { return run_number; }
uint32_t record_next_run(void) { return ++run_number; }

// The latest edges of the calling thread that have a group as an unsure guard. `entered` is the number of times that
// the thread has entered that group since. Its next leaves belong to those entries.
enum { UNSURE = 16 };
typedef struct unsure { gw_edge *edge; uint64_t group; uint32_t run, entered; } unsure;
static __thread unsure unsure_edges[UNSURE] __attribute__((tls_model("initial-exec")));
static __thread uint32_t unsure_count __attribute__((tls_model("initial-exec")));

static void note_unsure(gw_edge *row) {
  for (uint32_t index = 0; index < GW_GUARDS; index++)
    if (row->guards[index].is_unsure)
      unsure_edges[unsure_count++ % UNSURE] =
          (unsure){.edge = row, .group = row->guards[index].instance, .run = run_number};
}

// The groups that the calling thread entered last, with the run of each entry.
enum { ENTERED = 8 };
typedef struct entrance { uint64_t group; uint32_t run; } entrance;
static __thread entrance entrances[ENTERED] __attribute__((tls_model("initial-exec")));
static __thread uint32_t entrance_count __attribute__((tls_model("initial-exec")));

bool record_has_entered(uint64_t group) {
  for (uint32_t index = 0; index < ENTERED; index++)
    if (entrances[index].group == group && entrances[index].run == run_number) return true;
  return false;
}

void record_entered(uint64_t group) {
  entrances[entrance_count++ % ENTERED] = (entrance){.group = group, .run = run_number};
  for (uint32_t index = 0; index < UNSURE; index++)
    if (unsure_edges[index].group == group && unsure_edges[index].run == run_number) unsure_edges[index].entered++;
}

void record_sure(uint64_t group, uint32_t run, bool is_end) {
  for (uint32_t index = 0; index < UNSURE; index++) {
    unsure *row = &unsure_edges[index];
    if (row->edge == NULL || row->group != group || row->run != run) continue;
    if (!is_end && row->entered > 0) {
      row->entered--;
      continue;
    }
    for (uint32_t guard = 0; guard < GW_GUARDS; guard++)
      if (row->edge->guards[guard].instance == group)
        __atomic_store_n(&row->edge->guards[guard].is_unsure, 0, __ATOMIC_RELAXED);
  }
}

void record_edge(const gw_edge *edge) {
  if (!record_is_on()) return;
  if (edge->reason == GW_ITSELF) {
    gw_row *same = gw_table_add(&class_pairs, gw_mix((uint64_t)edge->from.thing.class_id << 8 | 0x49), NULL);
    if (same != NULL && __atomic_fetch_add(&same->value, 1, __ATOMIC_RELAXED) >= MOST_ITSELF) return;
  }
  uint64_t number;
  gw_edge *row = next_row(&record->edges, sizeof *row, &number);
  if (row == NULL) return;
  gw_edge copy = *edge;
  copy.tid = 0;
  *row = copy;
  if (edge->privacy != 0) __atomic_fetch_add(&record->private_edges, 1, __ATOMIC_RELAXED);
  note_unsure(row);
  __atomic_store_n(&row->tid, edge->tid, __ATOMIC_RELEASE);
}

void record_publish(uint64_t instance) {
  if (!record_is_on() || __atomic_load_n(&record->private_edges, __ATOMIC_RELAXED) == 0) return;
  gw_edge *edges = ROWS(gw_edge, edges);
  for (uint64_t index = 0, count = record_edges(); index < count; index++) {
    gw_edge *row = &edges[index];
    if (__atomic_load_n(&row->privacy, __ATOMIC_RELAXED) == 0) continue;
    uint32_t known = (row->from.thing.instance == instance ? GW_FROM_PRIVATE : 0u) |
      (row->to.thing.instance == instance ? GW_TO_PRIVATE : 0u);
    if (known != 0) __atomic_fetch_and(&row->privacy, ~known, __ATOMIC_RELAXED);
  }
}

// MARK: - Withdrawn edges

uint64_t record_edges(void) {
  uint64_t count = record_is_on() ? __atomic_load_n(&record->edges.count, __ATOMIC_RELAXED) : 0;
  return count == 0 || count <= record->edges.room ? count : record->edges.room;
}

void record_withdraw(uint64_t instance, uint64_t wait, uint64_t first, bool is_withdrawn) {
  for (uint64_t index = record_edges(); index-- > first;) {
    gw_edge *row = &ROWS(gw_edge, edges)[index];
    uint32_t tid = __atomic_load_n(&row->tid, __ATOMIC_ACQUIRE);
    uint32_t withdrawn = __atomic_load_n(&row->withdrawn_tid, __ATOMIC_RELAXED);
    if ((tid | withdrawn) == 0 || row->to.thing.instance != instance) continue;
    if (record_wait_number(tid | withdrawn, row->number) != wait) continue;
    if ((tid == 0) == is_withdrawn) continue;
    if (is_withdrawn) gw_withdraw(row);
    __atomic_store_n(&row->withdrawn_tid, is_withdrawn ? tid : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&row->tid, is_withdrawn ? 0 : withdrawn, __ATOMIC_RELEASE);
  }
}

// MARK: - Waits and events

void record_wait(gw_thing asked, bool is_cooperative) {
  gw_thread *self = gw_self();
  if (self == NULL || !record_is_on()) return;
  const gw_hold *held = NULL;
  for (uint32_t index = self->depth < GW_HOLDS ? self->depth : GW_HOLDS; index-- > 0 && held == NULL;)
    if (!self->holds[index].thing.is_shared) held = &self->holds[index];
  if (held == NULL && !is_cooperative) return;
  uint32_t held_class = held == NULL ? 0 : held->thing.class_id;
  uint64_t pair = gw_mix((uint64_t)held_class << 32 | asked.class_id);
  gw_row *seen = gw_table_add(&class_pairs, gw_mix(pair ^ 0x57 ^ (uint64_t)is_cooperative << 8), NULL);
  if (seen == NULL || __atomic_fetch_add(&seen->value, 1, __ATOMIC_RELAXED) >= 1) return;
  uint64_t number;
  gwr_wait *row = next_row(&record->waits, sizeof *row, &number);
  if (row == NULL) return;
  row->is_cooperative = is_cooperative;
  if (held != NULL) row->held = *held;
  row->asked.thing = asked;
  row->asked.frame_count = gw_stack(row->asked.frames, GW_FRAMES, 0);
  __atomic_store_n(&row->tid, gw_tid(self), __ATOMIC_RELEASE);
}

void record_moment(gwr_act act, gw_thing thing, uint32_t job) {
  if (!record_is_on() || !record->is_traced || thing.instance == 0) return;
  gw_thread *self = gw_self();
  if (self == NULL) return;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  uint64_t number = __atomic_fetch_add(&record->moments.count, 1, __ATOMIC_RELAXED);
  gwr_moment *row = &ROWS(gwr_moment, moments)[number % record->moments.room];
  __atomic_store_n(&row->act, 0, __ATOMIC_RELEASE);
  row->tid = gw_tid(self);
  row->at = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  row->instance = thing.instance;
  row->class_id = thing.class_id;
  row->job = job;
  __atomic_store_n(&row->act, act, __ATOMIC_RELEASE);
}

