// A table from keys to numbers, open-addressed and of fixed size. Any thread may use it: rows are only added, without a
// lock. Pages that are never touched take no memory, so a table is made larger than most programs need.

#ifndef GATEHOUSE_TABLE_H
#define GATEHOUSE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { GW_PROBES = 64 };

// The key never changes once it is not 0.
typedef struct gw_row { uint64_t key, value; } gw_row;

typedef struct gw_table {
  gw_row *rows;
  uint64_t mask;
  uint64_t lost;  // keys for which there was no room
} gw_table;

// Makes the rows, `1 << bits` of them, or fewer if there is no memory for them. Call once, before other threads use the
// table.
static inline bool gw_table_make(gw_table *table, unsigned bits) {
  for (; bits >= 8 && table->rows == NULL; bits--) {
    size_t size = sizeof(gw_row) << bits;
    void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) continue;
    table->mask = ((uint64_t)1 << bits) - 1;
    table->rows = (gw_row *)made;
  }
  return table->rows != NULL;
}

// Removes all rows. A row that another thread adds meanwhile may be lost.
static inline void gw_table_clear(gw_table *table) {
  if (table->rows != NULL) madvise(table->rows, (table->mask + 1) * sizeof(gw_row), MADV_DONTNEED);
}

// The row of a key, or null. Keys must be well mixed. A key of 0 counts as 1.
static inline gw_row *gw_table_find(const gw_table *table, uint64_t key) {
  if (table->rows == NULL) return NULL;
  if (key == 0) key = 1;
  for (uint64_t probe = 0; probe < GW_PROBES; probe++) {
    gw_row *row = &table->rows[((key >> 20) + probe) & table->mask];
    uint64_t found = __atomic_load_n(&row->key, __ATOMIC_ACQUIRE);
    if (found == key) return row;
    if (found == 0) return NULL;
  }
  return NULL;
}

// The row of a key, which is added if it is new. Null if there is no room.
static inline gw_row *gw_table_add(gw_table *table, uint64_t key, bool *is_new) {
  if (is_new != NULL) *is_new = false;
  if (key == 0) key = 1;
  for (uint64_t probe = 0; table->rows != NULL && probe < GW_PROBES; probe++) {
    gw_row *row = &table->rows[((key >> 20) + probe) & table->mask];
    uint64_t found = __atomic_load_n(&row->key, __ATOMIC_ACQUIRE);
    if (found == 0 && __atomic_compare_exchange_n(&row->key, &found, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      if (is_new != NULL) *is_new = true;
      return row;
    }
    if (found == key) return row;
  }
  __atomic_fetch_add(&table->lost, 1, __ATOMIC_RELAXED);
  return NULL;
}

#endif
