// Semaphores of one that tasks of Swift hold.
//
// A task that awaits something leaves its thread, and goes on later, on any thread. A semaphore that it took it still
// holds then. So the semaphores go with the task: a thread holds those of the task that it runs.

#ifndef GATEHOUSE_TASKS_H
#define GATEHOUSE_TASKS_H

#include "things.h"

#pragma GCC visibility push(hidden)

// Records that the calling thread has taken a semaphore that serves as a lock. If it runs a task, the task holds it.
void tasks_took(uint64_t instance);
// Records that the semaphore was given.
void tasks_gave(uint64_t instance);
// Makes the calling thread hold what its task holds, and no more of what an earlier task on it holds. To be called
// before the thread asks for something, and before it gives a semaphore.
void tasks_follow(void);
// Records that the calling thread has run a block: it runs no task any more.
void tasks_ended(void);

#pragma GCC visibility pop

#endif
