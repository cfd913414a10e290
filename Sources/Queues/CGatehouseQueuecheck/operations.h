// Foundation's operation queues: waitUntilAllOperationsAreFinished waits for each operation's own condition.

#ifndef GATEHOUSE_OPERATIONS_H
#define GATEHOUSE_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// The address range of Foundation's code. Empty if Foundation was not loaded with the program.
extern uintptr_t foundation_from, foundation_to;
static inline bool is_foundation(uintptr_t address) { return address >= foundation_from && address < foundation_to; }

// Whether a work item that was made with this stack is an operation.
bool operations_made(const uintptr_t *frames, uint32_t count);
// Called when the calling thread begins and ends an operation on its queue. If the operation queue runs one operation
// at a time, the operation holds the queue alone.
uint64_t operations_begin(void);
void operations_end(uint64_t before);

// Called before Foundation broadcasts a condition, which may be that of an operation that has ended.
void operations_broadcast(void);
// Called before the calling thread waits for a condition with this mutex.
void operations_waited(const void *mutex);
// Called before Foundation locks a mutex, and after it has unlocked one.
void operations_locked(const void *mutex);
void operations_unlocked(const void *mutex, uintptr_t caller);

#pragma GCC visibility pop

#endif
