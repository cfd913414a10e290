#define _GNU_SOURCE
#include "record.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gatehouse_mix.h"
#include "queues.h"
#include "real.h"

gwr_header *record;
static char folder[3072];

static gwr_class *classes;
static gw_edge *edges;
static gwr_wait *waits;
static gwr_queue *queues;
static gwr_moment *moments;

// MARK: - Rows

// A hash table with a count, or another value, for each key.
enum { KEYS = 1 << 17, PROBES = 64 };
typedef struct tally { uint64_t key, value; } tally;
static tally class_ids[GWR_CLASSES * 2];
static tally class_pairs[KEYS];

static tally *tally_of(tally *table, size_t size, uint64_t key) {
  key |= 1;
  for (size_t probe = 0; probe < PROBES; probe++) {
    tally *slot = &table[((key >> 8) + probe) % size];
    uint64_t found = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
    if (found == 0 && __atomic_compare_exchange_n(&slot->key, &found, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return slot;
    if (found == key) return slot;
  }
  return NULL;
}

gwr_class *record_class_row(uint32_t class_id) {
  return class_id == 0 || class_id > GWR_CLASSES || classes == NULL ? NULL : &classes[class_id - 1];
}

// How many frames of the maker identify a class: its own, and those of a few wrappers.
enum { MAKERS = 5 };

uint32_t record_class(gwr_kind kind, const char *label, uintptr_t address) {
  if (!record_is_on()) return 0;
  uintptr_t frames[GW_FRAMES];
  uint32_t count = gw_stack(frames, GW_FRAMES, 0);
  uint64_t key = gw_mix(kind ^ gw_mix(address));
  for (const char *letter = label; letter != NULL && *letter != 0; letter++) key = gw_mix(key ^ (uint8_t)*letter);
  if (address == 0)
    for (uint32_t index = 0; index < count && index < MAKERS; index++) key = gw_mix(key ^ frames[index]);
  tally *slot = tally_of(class_ids, GWR_CLASSES * 2, key);
  if (slot == NULL) return 0;
  uint64_t id = __atomic_load_n(&slot->value, __ATOMIC_ACQUIRE);
  if (id != 0) return (uint32_t)id;
  id = __atomic_add_fetch(&record->classes, 1, __ATOMIC_RELAXED);
  if (id > GWR_CLASSES) return 0;
  gwr_class *row = &classes[id - 1];
  row->address = address;
  if (label != NULL) strncpy(row->label, label, GWR_LABEL - 1);
  row->frame_count = count;
  memcpy(row->frames, frames, count * sizeof(uintptr_t));
  __atomic_store_n(&row->kind, kind, __ATOMIC_RELEASE);
  // If two threads are first at once, they make two classes, and the second one is used from now on.
  __atomic_store_n(&slot->value, id, __ATOMIC_RELEASE);
  return (uint32_t)id;
}

gwr_queue *record_queue(void) {
  if (!record_is_on()) return NULL;
  uint64_t index = __atomic_fetch_add(&record->queues, 1, __ATOMIC_RELAXED);
  return index < GWR_QUEUES ? &queues[index] : NULL;
}

// The maximum that the analysis keeps for a pair of classes.
enum { MOST_OF_A_PAIR = 64 };

static __thread uint32_t run_number __attribute__((tls_model("initial-exec")));
uint32_t record_run(void) { return run_number; }
uint32_t record_next_run(void) { return ++run_number; }

// The latest edges of the calling thread that have a group as an unsure guard. `entered` counts how often the thread
// has entered that group since: its next leaves belong to those entries.
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

void record_entered(uint64_t group) {
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

static tally *tally_of_pair(const gw_edge *edge) {
  uint64_t pair = gw_mix((uint64_t)edge->from.thing.class_id << 32 | edge->to.thing.class_id);
  pair = gw_mix(pair ^ (edge->from.thing.is_shared << 1 | edge->to.thing.is_shared) ^ (uint64_t)edge->reason << 8);
  return tally_of(class_pairs, KEYS, pair);
}

static void write_edge(const gw_edge *edge) {
  if (!record_is_on()) return;
  tally *seen = tally_of_pair(edge);
  if (seen != NULL && __atomic_fetch_add(&seen->value, 1, __ATOMIC_RELAXED) >= MOST_OF_A_PAIR) {
    __atomic_fetch_add(&record->repeated_edges, 1, __ATOMIC_RELAXED);
    return;
  }
  uint64_t index = __atomic_fetch_add(&record->edges, 1, __ATOMIC_RELAXED);
  if (index >= GWR_EDGES) return;
  gw_edge *row = &edges[index];
  gw_edge copy = *edge;
  copy.tid = 0;
  *row = copy;
  note_unsure(row);
  __atomic_store_n(&row->tid, edge->tid, __ATOMIC_RELEASE);
}

uint64_t record_edges(void) {
  uint64_t count = record_is_on() ? __atomic_load_n(&record->edges, __ATOMIC_RELAXED) : 0;
  return count < GWR_EDGES ? count : GWR_EDGES;
}

void record_withdraw(uint64_t instance, uint64_t wait, uint64_t first, bool is_withdrawn) {
  for (uint64_t index = record_edges(); index-- > first;) {
    gw_edge *row = &edges[index];
    uint32_t tid = __atomic_load_n(&row->tid, __ATOMIC_ACQUIRE);
    uint32_t withdrawn = __atomic_load_n(&row->withdrawn_tid, __ATOMIC_RELAXED);
    if ((tid | withdrawn) == 0 || row->to.thing.instance != instance) continue;
    if (record_wait_number(tid | withdrawn, row->number) != wait) continue;
    if ((tid == 0) == is_withdrawn) continue;
    tally *seen = tally_of_pair(row);
    if (seen != NULL) __atomic_fetch_add(&seen->value, is_withdrawn ? -1 : 1, __ATOMIC_RELAXED);
    if (is_withdrawn) gw_withdraw(row);
    __atomic_store_n(&row->withdrawn_tid, is_withdrawn ? tid : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&row->tid, is_withdrawn ? 0 : withdrawn, __ATOMIC_RELEASE);
  }
}

void record_wait(gw_thing asked, bool is_cooperative) {
  gw_thread *self = gw_self();
  if (self == NULL || !record_is_on()) return;
  uint32_t depth = self->depth < GW_HOLDS ? self->depth : GW_HOLDS;
  const gw_hold *held = NULL;
  for (uint32_t index = depth; index-- > 0 && held == NULL;)
    if (!self->holds[index].thing.is_shared) held = &self->holds[index];
  if (held == NULL && !is_cooperative) return;
  uint32_t held_class = held == NULL ? 0 : held->thing.class_id;
  uint64_t pair = gw_mix((uint64_t)held_class << 32 | asked.class_id);
  tally *seen = tally_of(class_pairs, KEYS, gw_mix(pair ^ 0x57 ^ (uint64_t)is_cooperative << 8));
  if (seen == NULL || __atomic_fetch_add(&seen->value, 1, __ATOMIC_RELAXED) >= 1) return;
  uint64_t index = __atomic_fetch_add(&record->waits, 1, __ATOMIC_RELAXED);
  if (index >= GWR_WAITS) return;
  gwr_wait *row = &waits[index];
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
  uint64_t number = __atomic_fetch_add(&record->moments, 1, __ATOMIC_RELAXED);
  gwr_moment *row = &moments[number % GWR_MOMENTS];
  __atomic_store_n(&row->act, 0, __ATOMIC_RELEASE);
  row->tid = gw_tid(self);
  row->at = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  row->instance = thing.instance;
  row->class_id = thing.class_id;
  row->job = job;
  __atomic_store_n(&row->act, act, __ATOMIC_RELEASE);
}

void *record_memory(size_t size) {
  static char *chunk;
  static size_t used;
  static int lock;
  enum { CHUNK = 1 << 20 };
  size = (size + 15) & ~(size_t)15;
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
  if (chunk == NULL || used + size > CHUNK) {
    void *made = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    chunk = made == MAP_FAILED ? NULL : made;
    used = 0;
  }
  void *found = chunk == NULL ? NULL : chunk + used;
  used += size;
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  return found;
}

// MARK: - Images

typedef struct range { uintptr_t from, to; } range;
enum { RANGES = 1024 };
static range ranges[RANGES];
static size_t range_count;
static range dispatch_text;
// Dispatch's thread-local variables have the same offset in every thread, because it was loaded with the program.
static uintptr_t dispatch_locals_at, dispatch_locals_size;

static bool is_within(range range, uintptr_t address) { return address >= range.from && address < range.to; }
bool record_is_dispatch(uintptr_t address) { return is_within(dispatch_text, address); }

// The first of these variables is the thread's ID, from its first call of dispatch until dispatch has cleaned up after
// it.
bool record_is_known_to_dispatch(uint32_t tid) {
  uintptr_t at = (uintptr_t)pthread_self() + dispatch_locals_at;
  return dispatch_locals_size >= sizeof tid && *(const uint32_t *)at == tid;
}

static int note_image(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  // Left out of stacks: libraries between the program's code and a wait, which are the same in every program.
  static const char *const machinery[] = {"/libdispatch.so", "/libswiftDispatch.so", "/libBlocksRuntime.so"};
  bool is_hidden = false;
  for (size_t index = 0; index < sizeof machinery / sizeof *machinery; index++)
    if (strstr(info->dlpi_name, machinery[index]) != NULL) is_hidden = true;
  bool is_runtime = strstr(info->dlpi_name, "/swift/linux/") != NULL;
  for (size_t index = 0; index < info->dlpi_phnum && range_count < RANGES; index++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
    bool is_dispatch = is_hidden && strstr(info->dlpi_name, machinery[0]) != NULL;
    if (is_dispatch && segment->p_type == PT_TLS && info->dlpi_tls_data != NULL) {
      dispatch_locals_at = (uintptr_t)info->dlpi_tls_data - (uintptr_t)pthread_self();
      dispatch_locals_size = segment->p_memsz;
    }
    if (segment->p_type != PT_LOAD) continue;
    uintptr_t from = info->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
    bool is_own = (uintptr_t)note_image >= from && (uintptr_t)note_image < to;
    if (is_dispatch && (segment->p_flags & PF_X)) dispatch_text = (range){from, to};
    if (segment->p_flags & PF_X) gw_text(from, to, is_own || is_hidden, is_hidden || is_runtime);
    if (segment->p_flags & PF_W) ranges[range_count++] = (range){from, to};
  }
  return 0;
}

// Knows only the images that were loaded with the program: asking the loader later would wait for its lock.
bool record_is_in_image(uintptr_t address) {
  for (size_t index = 0; index < range_count; index++)
    if (is_within(ranges[index], address)) return true;
  return false;
}

// Copies the memory map for gate. While the program lives gate reads the current one.
static void copy_maps(void) {
  char path[4096], bytes[16384];
  snprintf(path, sizeof path, "%s/%d.maps", folder, (int)getpid());
  int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  ssize_t count;
  while (from >= 0 && to >= 0 && (count = read(from, bytes, sizeof bytes)) > 0)
    if (write(to, bytes, (size_t)count) != count) break;
  if (from >= 0) close(from);
  if (to >= 0) close(to);
}

// Without an unwinder some stacks lack a frame.
static void use_unwinder(void) {
  void *library = dlopen("libgcc_s.so.1", RTLD_LAZY);
  if (library == NULL) return;
  gw_unwinder found;
  *(void **)&found.backtrace = dlsym(library, "_Unwind_Backtrace");
  *(void **)&found.address = dlsym(library, "_Unwind_GetIP");
  *(void **)&found.top = dlsym(library, "_Unwind_GetCFA");
  if (found.backtrace != NULL && found.address != NULL && found.top != NULL) gw_set_unwinder(found);
}

// MARK: - The file

// The file is the parent's: a child that runs on without exec would write into it.
static void forked(void) {
  gw_forked();
  __atomic_store_n(&record, NULL, __ATOMIC_RELEASE);
}

static gwr_header *map_file(size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.record", folder, (int)getpid());
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return NULL;
  void *mapped = ftruncate(file, (off_t)size) != 0
    ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? NULL : mapped;
}

static uint64_t take(uint64_t *size, uint64_t bytes) {
  uint64_t at = (*size + 63) & ~63ull;
  *size = at + bytes;
  return at;
}

__attribute__((constructor(101))) static void begin(void) {
  const char *given = getenv(GWR_FOLDER_VARIABLE), *parent = getenv(GWR_PARENT_VARIABLE);
  if (given == NULL || parent == NULL || strlen(given) >= sizeof folder) return;
  bool is_asked_for = atoi(parent) == (int)getppid();
  bool uses_dispatch = real_has_dispatch();
  // A shell or a linker that the program starts is not recorded.
  if (!is_asked_for && !uses_dispatch) return;
  strcpy(folder, given);

  gwr_header header = {.version = GWR_VERSION, .pid = (uint32_t)getpid()};
  header.is_asked_for = is_asked_for;
  header.uses_dispatch = uses_dispatch;
  header.is_traced = getenv(GWR_TRACE_VARIABLE) != NULL;
  header.main_tid = header.pid;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  header.begun_at = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  header.size = sizeof header;
  header.threads_at = take(&header.size, GWR_THREADS * sizeof(gw_thread));
  header.classes_at = take(&header.size, GWR_CLASSES * sizeof(gwr_class));
  header.edges_at = take(&header.size, GWR_EDGES * sizeof(gw_edge));
  header.waits_at = take(&header.size, GWR_WAITS * sizeof(gwr_wait));
  header.queues_at = take(&header.size, GWR_QUEUES * sizeof(gwr_queue));
  header.moments_at = take(&header.size, GWR_MOMENTS * sizeof(gwr_moment));
  gwr_header *mapped = map_file(header.size);
  if (mapped == NULL) return;
  char *base = (char *)mapped;
  classes = (gwr_class *)(base + header.classes_at);
  edges = (gw_edge *)(base + header.edges_at);
  waits = (gwr_wait *)(base + header.waits_at);
  queues = (gwr_queue *)(base + header.queues_at);
  moments = (gwr_moment *)(base + header.moments_at);
  *mapped = header;
  __atomic_store_n(&mapped->magic, GWR_MAGIC, __ATOMIC_RELEASE);
  dl_iterate_phdr(note_image, NULL);
  copy_maps();
  use_unwinder();
  gw_begin(write_edge, (gw_thread *)(base + header.threads_at), GWR_THREADS);
  __atomic_store_n(&record, mapped, __ATOMIC_RELEASE);
  pthread_atfork(NULL, NULL, forked);
  if (uses_dispatch) queues_begin();
}

__attribute__((destructor)) static void end(void) {
  if (record_is_on() && record->pid == (uint32_t)getpid()) copy_maps();
}
