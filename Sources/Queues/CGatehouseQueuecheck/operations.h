// Foundation's operation queues: waitUntilAllOperationsAreFinished waits for each operation's own condition.

#ifndef GATEHOUSE_OPERATIONS_H
#define GATEHOUSE_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// The code of Foundation; empty if it was not loaded with the program.
extern uintptr_t foundation_from, foundation_to;
static inline bool is_foundation(uintptr_t address) { return address >= foundation_from && address < foundation_to; }

// Whether a work item that was made with this stack is an operation.
bool operations_made(const uintptr_t *frames, uint32_t count);
// The calling thread begins an operation on its queue, and ends it. If the operation queue runs one at a time, the
// operation holds the queue alone.
uint64_t operations_begin(void);
void operations_end(uint64_t before);

// Foundation's code is about to broadcast a condition: that of an operation that has ended, perhaps.
void operations_broadcast(void);
// The calling thread waits for a condition that has this mutex.
void operations_waited(const void *mutex);
// Foundation's code has locked, or is about to unlock, a mutex.
void operations_locked(const void *mutex);
void operations_unlocked(const void *mutex, uintptr_t caller);

#pragma GCC visibility pop

#endif
