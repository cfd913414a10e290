// Counting semaphores: dispatch's and the C library's.

#ifndef GATEHOUSE_SIGNALS_H
#define GATEHOUSE_SIGNALS_H

#include "things.h"

#pragma GCC visibility push(hidden)

// Records a new semaphore with this initial count.
thing *semaphore_made(const void *address, intmax_t count);
// Records that a thread is about to wait for it. Returns whether the thread will hold it, as a lock.
bool semaphore_ask(thing *found, bool is_forever);
void semaphore_waited(thing *found, bool was_taken, bool is_lock);
void semaphore_given(thing *found);

// Whether the calling thread holds a semaphore as a lock.
bool semaphore_is_held(void);
// Records that a block has ended whose thread held no semaphore when the block began. A semaphore that the thread holds
// now was taken by the block, and another piece of work gives it. Only by chance does that run on the same thread, so
// the semaphore is no lock.
void semaphores_outlive(void);

// Records that the calling thread has run a work item: those that wait for the item go on.
void item_ended(const void *item);

#pragma GCC visibility pop

#endif
