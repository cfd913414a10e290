// Work items. Dispatch reads the data behind an item's block, so the item itself is passed on unchanged. But the block
// that an item is made from can be replaced by one of ours, which runs it as an activity.

#include <stddef.h>
#include <string.h>

#include "operations.h"
#include "queues.h"
#include "record.h"
#include "signals.h"

// The ABI of blocks: a literal begins with these fields, and what it captures follows.
typedef struct literal literal;
typedef struct descriptor {
  unsigned long reserved, size;
  void (*copy)(literal *to, const literal *from);
  void (*dispose)(const literal *gone);
} descriptor;

struct literal {
  void *isa;
  int32_t flags, reserved;
  void (*invoke)(literal *);
  const descriptor *described;
  block *work;
  bool is_operation;
  uint32_t class_id, frame_count;
  uint64_t submission;
  const void *item;  // the block that dispatch made of it
  uintptr_t frames[GW_FRAMES];
};
enum { HAS_COPY = 1 << 25 };
extern void *_NSConcreteStackBlock[] __attribute__((weak));

static void run(literal *item) {
  // A thread of dispatch holds nothing of its own. Any other thread performs the item in place.
  const gw_thread *self = record_is_on() ? gw_self() : NULL;
  bool is_submitted = self != NULL && self->depth == 0;
  gw_thing activity = {.instance = thing_number(), .class_id = item->class_id, .is_shared = GW_ACTIVITY};
  gw_enter_at(activity, item->frames, item->frame_count);
  chain current = current_enter();
  chain_submitted(&current, item->submission);
  uint64_t before = item->is_operation ? operations_begin() : 0;
  item->work->invoke(item->work);
  if (is_submitted) semaphores_outlive();
  if (item->is_operation) operations_end(before);
  else item_ended(__atomic_load_n(&item->item, __ATOMIC_ACQUIRE));
  chain_leave(&current);
  gw_leave(activity.instance);
}

// The literal that the calling thread copied last. Dispatch copies it once, into the item that it makes.
static __thread literal *latest_copy __attribute__((tls_model("initial-exec")));

static void copy(literal *to, const literal *from) {
  to->work = real()->_Block_copy(from->work);
  latest_copy = to;
}

static block *created(block *item) {
  if (latest_copy != NULL) __atomic_store_n(&latest_copy->item, item, __ATOMIC_RELEASE);
  latest_copy = NULL;
  return item;
}

static void dispose(const literal *gone) { real()->_Block_release(gone->work); }
static const descriptor described = {.size = sizeof(literal), .copy = copy, .dispose = dispose};

// Makes a literal that runs the work as an activity. Returns false if the work is not to be replaced.
static __attribute__((noinline)) bool wrap(literal *made, block *work) {
  if (!record_is_on() || (void *)_NSConcreteStackBlock == NULL || work == NULL || gw_self() == NULL) return false;
  *made = (literal){
      .isa = (void *)_NSConcreteStackBlock, .flags = HAS_COPY, .invoke = run, .described = &described, .work = work};
  made->frames[0] = (uintptr_t)work->invoke + 1;
  made->frame_count = 1 + gw_stack(made->frames + 1, GW_FRAMES - 1, 0);
  // An item may be submitted later. If it gives a signal to the thread that made it, it was submitted before that.
  made->submission = gw_submission();
  made->is_operation = operations_made(made->frames, made->frame_count);
  made->class_id = record_class_at(GWR_JOB, NULL, 0, made->frames, made->frame_count);
  return true;
}

EXPORTED block *dispatch_block_create(unsigned long flags, block *work) {
  literal made;
  if (CALLED_BY_DISPATCH || !wrap(&made, work)) return real()->dispatch_block_create(flags, work);
  return created(real()->dispatch_block_create(flags, (block *)&made));
}

EXPORTED block *dispatch_block_create_with_qos_class(unsigned long flags, unsigned qos, int priority, block *work) {
  literal made;
  if (CALLED_BY_DISPATCH || !wrap(&made, work))
    return real()->dispatch_block_create_with_qos_class(flags, qos, priority, work);
  return created(real()->dispatch_block_create_with_qos_class(flags, qos, priority, (block *)&made));
}
