// concurrentPerform.

#include "record.h"
#include "runs.h"

// All turns of a call share the hold on its work, and the caller waits for them. So a lock that the caller holds and a
// turn takes is found, whichever thread runs the turn.
typedef struct repeated {
  object queue;
  chain held;
  gw_thing work;
  void *context;
  void (*turn)(void *, size_t);
  uint32_t frame_count;
  uintptr_t frames[GW_FRAMES];
} repeated;

static void run_repeated(void *given, size_t turn) {
  repeated *all = given;
  bool is_held = gw_holds(chain_innermost(&all->held).instance), is_nested = gw_holds(all->work.instance);
  chain none = {0};
  entered now = run_begin(all->queue, is_held ? &none : &all->held, all->frames, all->frame_count, 0);
  // A signal that this turn gives is its own, and no other turn's.
  gw_thing own = {.instance = thing_number(), .class_id = all->work.class_id, .is_shared = GW_ACTIVITY};
  if (!is_nested) gw_enter_at(all->work, all->frames, all->frame_count);
  gw_enter_at(own, all->frames, all->frame_count);
  all->turn(all->context, turn);
  gw_leave(own.instance);
  if (!is_nested) gw_leave(all->work.instance);
  run_end(&now);
}

// Each call is a thing of its own. All calls from one place share a class.
static gw_thing work_of_call(void) {
  return (gw_thing){.instance = thing_number(), .class_id = record_class(GWR_REPEATED, NULL, 0)};
}

static __attribute__((noinline)) void repeat(size_t count, object queue, void *context, void (*turn)(void *, size_t)) {
  if (!record_is_on()) return real()->dispatch_apply_f(count, queue, context, turn);
  repeated all = {
      .queue = queue, .held = chain_of(queue, false), .work = work_of_call(), .context = context, .turn = turn};
  if (all.held.count > 0) chain_ask(&all.held);
  chain current = current_enter();
  gw_ask(all.work);
  chain_leave(&current);
  all.work.is_shared = GW_LOOP;
  all.frame_count = gw_stack(all.frames, GW_FRAMES, 0);
  gw_asked();
  real()->dispatch_apply_f(count, queue, &all, run_repeated);
}

EXPORTED void dispatch_apply_f(size_t count, object queue, void *context, void (*turn)(void *, size_t)) {
  if (CALLED_BY_DISPATCH) return real()->dispatch_apply_f(count, queue, context, turn);
  repeat(count, queue, context, turn);
}

// A block that gets the number of its turn.
typedef struct turn_block {
  void *isa;
  int32_t flags, reserved;
  void (*invoke)(void *block, size_t turn);
} turn_block;

EXPORTED void dispatch_apply(size_t count, object queue, block *work) {
  repeat(count, queue, work, ((const turn_block *)work)->invoke);
}
