#include "gatehouse_waits.h"

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void *swift_task_getCurrent(void) __attribute__((weak));

// The runtime's function for a resumption releases the address of the task.
void gw_resumed(void) {
  if (__tsan_acquire && swift_task_getCurrent) __tsan_acquire(swift_task_getCurrent());
}
