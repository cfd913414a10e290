// Locks in malloc memory that no call initialized: C++'s std::mutex, PTHREAD_MUTEX_INITIALIZER in a structure.

#ifndef GATEHOUSE_HEAP_H
#define GATEHOUSE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Follows the thing at this address until its memory is freed. Returns false if that would not be seen, or if there is
// no memory to follow it.
bool heap_follow(uintptr_t address);

#pragma GCC visibility pop

#endif
