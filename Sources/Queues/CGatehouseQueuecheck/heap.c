#include "heap.h"

#include <sys/mman.h>

#include "real.h"
#include "record.h"
#include "symbols.h"
#include "things.h"

// MARK: - The things in each page

typedef struct place { uintptr_t address; struct place *next; } place;
// A hash bucket of places, by page. The lock is held for a few loads and stores only.
typedef struct shelf { uint32_t lock; place *first; } shelf;
enum { SHELVES = 1 << 16, PAGE = 12 };
static shelf shelves[SHELVES];
static uint32_t is_used;
static shelf spare;  // free list

static void lock_shelf(shelf *given) {
  while (__atomic_exchange_n(&given->lock, 1, __ATOMIC_ACQUIRE) != 0) {}
}

static void unlock_shelf(shelf *given) { __atomic_store_n(&given->lock, 0, __ATOMIC_RELEASE); }

static shelf *shelf_of(uintptr_t page) { return &shelves[(page * 0x9E3779B97F4A7C15u >> 40) % SHELVES]; }

static place *new_place(void) {
  lock_shelf(&spare);
  place *made = spare.first;
  if (made != NULL) spare.first = made->next;
  unlock_shelf(&spare);
  return made != NULL ? made : record_memory(sizeof *made);
}

static void put_back(place *ended) {
  lock_shelf(&spare);
  ended->next = spare.first;
  spare.first = ended;
  unlock_shelf(&spare);
}

// Whether all frees are seen: the program's memory comes from the C library, and its `free` is ours. Other allocators
// free some blocks through internal calls.
static bool sees_frees(void) {
  static int answer;
  int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
  if (known != 0) return known > 0;
  symbol allocator = symbol_first("malloc");
  uintptr_t inside = (uintptr_t)symbol_behind("getpid");
  bool is_libc = inside >= allocator.image_from && inside < allocator.image_to;
  known = is_libc && symbol_first("free").is_ours ? 1 : -1;
  __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
  return known > 0;
}

bool heap_follow(uintptr_t address) {
  if (!sees_frees()) return false;
  shelf *on = shelf_of(address >> PAGE);
  lock_shelf(on);
  place *found = on->first;
  while (found != NULL && found->address != address) found = found->next;
  unlock_shelf(on);
  if (found != NULL) return true;
  place *made = new_place();
  if (made == NULL) return false;
  made->address = address;
  lock_shelf(on);
  made->next = on->first;
  __atomic_store_n(&on->first, made, __ATOMIC_RELEASE);
  unlock_shelf(on);
  __atomic_store_n(&is_used, 1, __ATOMIC_RELAXED);
  return true;
}

// MARK: - Freed memory

static void clear(shelf *on, uintptr_t from, uintptr_t to) {
  if (__atomic_load_n(&on->first, __ATOMIC_ACQUIRE) == NULL) return;
  place *ended = NULL;
  lock_shelf(on);
  for (place **link = &on->first; *link != NULL;) {
    place *here = *link;
    if (here->address < from || here->address >= to) {
      link = &here->next;
      continue;
    }
    *link = here->next;
    here->next = ended;
    ended = here;
  }
  unlock_shelf(on);
  while (ended != NULL) {
    place *here = ended;
    ended = here->next;
    thing_replaced((const void *)here->address);
    put_back(here);
  }
}

static __attribute__((noinline)) void given_back(uintptr_t from, size_t size) {
  if (size == 0 || !record_is_on()) return;
  uintptr_t first = from >> PAGE, last = (from + size - 1) >> PAGE;
  if (last - first >= SHELVES) {
    for (size_t index = 0; index < SHELVES; index++) clear(&shelves[index], from, from + size);
    return;
  }
  for (uintptr_t page = first; page <= last; page++) clear(shelf_of(page), from, from + size);
}

static inline bool has_things(void) { return __builtin_expect(__atomic_load_n(&is_used, __ATOMIC_RELAXED), 0) != 0; }

void free(void *block);
EXPORTED void free(void *block) {
  if (has_things() && block != NULL) given_back((uintptr_t)block, libc()->malloc_usable_size(block));
  libc()->free(block);
}

// Things in the block are removed even if the block stays in place. They get a new identity at their next use.
void *realloc(void *block, size_t size);
EXPORTED void *realloc(void *block, size_t size) {
  if (has_things() && block != NULL) given_back((uintptr_t)block, libc()->malloc_usable_size(block));
  return libc()->realloc(block, size);
}

EXPORTED int munmap(void *from, size_t size) {
  if (has_things()) given_back((uintptr_t)from, size);
  return libc()->munmap(from, size);
}
