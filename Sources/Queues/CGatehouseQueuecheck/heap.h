// Locks in memory from malloc that no call initialized: C++'s std::mutex, PTHREAD_MUTEX_INITIALIZER in a structure.

#ifndef GATEHOUSE_HEAP_H
#define GATEHOUSE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Follows the thing at this address until its memory is freed. False: its end would not be seen.
bool heap_follow(uintptr_t address);

#pragma GCC visibility pop

#endif
