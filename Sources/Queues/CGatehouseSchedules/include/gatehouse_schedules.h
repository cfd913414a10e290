#ifndef GATEHOUSE_SCHEDULES_H
#define GATEHOUSE_SCHEDULES_H

/// The runtime's hook before it gives a job to its threads: where the function's address is kept. NULL if the runtime
/// has no such hook.
///
/// Found by the linker and not by `dlsym`, which sees nothing of a runtime that is linked statically.
void *gatehouse_enqueue_global_hook(void);

#endif
