// A block that runs on a queue: it holds the queue and its targets.

#include "runs.h"

#include <dlfcn.h>

#include "record.h"

static __thread uint32_t cooperative_depth __attribute__((tls_model("initial-exec")));
bool is_cooperative(void) { return cooperative_depth > 0; }

entered run_begin(object queue, const chain *given, const uintptr_t *frames, uint32_t count, uint32_t job) {
  entered now = {.held = *given};
  const thing *found = thing_at(queue);
  for (uint32_t index = 0; index < now.held.count; index++) {
    if (!gw_holds(now.held.things[index].instance)) continue;
    if (found != NULL && found->kind == GWR_MAIN && leave_ambient_main()) {
      now.had_ambient_main = true;
    } else {
      now.had_other = true;
      now.other = now.held.things[index];
      gw_leave(now.other.instance);
    }
  }
  now.is_cooperative = found != NULL && found->kind == GWR_POOL;
  if (now.is_cooperative) cooperative_depth++;
  chain_enter(&now.held, frames, count);
  record_moment(GWR_BEGIN, chain_innermost(&now.held), job);
  return now;
}

void run_end(const entered *now) {
  record_moment(GWR_END, chain_innermost(&now->held), 0);
  chain_leave(&now->held);
  if (now->is_cooperative) cooperative_depth--;
  if (now->had_ambient_main) hold_ambient_main();
  if (now->had_other) gw_enter_at(now->other, NULL, 0);
}

// MARK: - Work items

bool is_work_item(const block *work) {
  // Dispatch's variable with the function that all such blocks share.
  static void **special;
  if (special == NULL) special = (void **)dlsym(RTLD_DEFAULT, "_dispatch_block_special_invoke");
  return special != NULL && (void *)work->invoke == *special;
}

// A work item is passed on unchanged, because dispatch reads the data behind its block. A wait for it is a wait for its
// queue.
void note_item(object queue, block *item) {
  thing *on = thing_at(queue), *found = thing_made(item, GWR_BLOCK, NULL, false);
  if (found == NULL || on == NULL || on->kind > GWR_POOL) return;
  queue_used(queue);
  found->target_instance = on->instance;
  __atomic_store_n(&found->target, on, __ATOMIC_RELEASE);
}
