// Marks in locks.
//
// A place in memory may get another lock without any call: `std::optional<std::mutex>` is emplaced anew, or a structure
// of a free list gets `PTHREAD_MUTEX_INITIALIZER` again. But the new lock begins with zeros. So a mark is written into
// a word of the lock that the C library does not use for locks of its kind. When the mark is gone, the address is
// another lock.

#ifndef GATEHOUSE_MARKS_H
#define GATEHOUSE_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "things.h"

#pragma GCC visibility push(hidden)

// Writes a mark into a mutex or a read-write lock. Locks that have no word for it get none, and are known by their
// addresses alone. Not to be called for a spin lock, which has the kind of a mutex and is smaller. `is_made`: a call
// has initialized the lock.
void mark_set(thing *lock, bool is_made);
// Whether the lock has got a mark, and no call initialized it.
bool mark_is_of_unmade(const thing *lock);
// Whether a lock of this kind at the address has a word for a mark.
bool mark_is_possible(const void *address, gwr_kind kind);
// Whether the lock has the mark that was written into it, or got none.
bool mark_is_there(const thing *lock);

#pragma GCC visibility pop

#endif
