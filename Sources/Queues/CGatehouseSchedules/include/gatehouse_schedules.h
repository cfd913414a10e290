#ifndef GATEHOUSE_SCHEDULES_H
#define GATEHOUSE_SCHEDULES_H

/// Returns where the runtime keeps the address of its hook, which it calls before it gives a job to its threads. NULL
/// if the runtime has no such hook.
///
/// The linker finds it, not `dlsym`, which does not see a statically linked runtime.
void *gatehouse_enqueue_global_hook(void);

#endif
