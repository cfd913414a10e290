// Foundation's operation queues: waitUntilAllOperationsAreFinished waits for each operation's own condition.

#ifndef GATEHOUSE_OPERATIONS_H
#define GATEHOUSE_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// The code of Foundation; empty if it was not loaded with the program.
extern uintptr_t foundation_from, foundation_to;
static inline bool is_foundation(uintptr_t address) { return address >= foundation_from && address < foundation_to; }

// Foundation's code has locked, or is about to unlock, a mutex.
void operations_locked(const void *mutex);
void operations_unlocked(const void *mutex, uintptr_t caller);

#pragma GCC visibility pop

#endif
