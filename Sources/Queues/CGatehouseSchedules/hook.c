#include "gatehouse_schedules.h"

#include <stddef.h>

// A variable of the Swift runtime (`Executor.h`), which exports it so that programs can set it.
extern void *swift_task_enqueueGlobal_hook __attribute__((weak));

void *gatehouse_enqueue_global_hook(void) { return &swift_task_enqueueGlobal_hook; }
