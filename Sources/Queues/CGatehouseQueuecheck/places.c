#define _GNU_SOURCE
#include "places.h"

#include <dlfcn.h>
#include <pthread.h>

#include "gatehouse_mix.h"
#include "gatehouse_waits.h"
#include "real.h"
#include "record.h"

// The loader's own lock-free look-up knows the images that were opened later, too. Older C libraries lack it.
bool place_is_in_image(uintptr_t address) {
  if (record_is_in_image(address)) return true;
  if (libc()->_dl_find_object == NULL) return false;
  struct dl_find_object found;
  return libc()->_dl_find_object((void *)address, &found) == 0;
}

// MARK: - Stacks

// The stacks of living threads. A stack that finds no room here is taken for memory from malloc.
typedef struct stack { uintptr_t low, high; uint32_t is_used; } stack;
enum { STACKS = 1 << 14 };
static stack stacks[STACKS];
static uint32_t stack_count;
static pthread_key_t at_thread_end;
static __thread stack *own_stack __attribute__((tls_model("initial-exec")));

static void thread_ended(void *given) {
  stack *ended = given;
  own_stack = NULL;
  __atomic_store_n(&ended->high, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&ended->is_used, 0, __ATOMIC_RELEASE);
}

static stack *unused_stack(void) {
  for (uint32_t index = 0; index < STACKS; index++) {
    uint32_t unused = 0;
    if (__atomic_load_n(&stacks[index].is_used, __ATOMIC_RELAXED) != 0) continue;
    if (!__atomic_compare_exchange_n(&stacks[index].is_used, &unused, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    uint32_t count = __atomic_load_n(&stack_count, __ATOMIC_RELAXED);
    while (count <= index && !__atomic_compare_exchange_n(
                                 &stack_count, &count, index + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
    return &stacks[index];
  }
  return NULL;
}

void place_note_stack(void) {
  pthread_attr_t attributes;
  void *low = NULL;
  size_t size = 0;
  if (own_stack != NULL || pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0 && (own_stack = unused_stack()) != NULL) {
    __atomic_store_n(&own_stack->low, (uintptr_t)low, __ATOMIC_RELAXED);
    __atomic_store_n(&own_stack->high, (uintptr_t)low + size, __ATOMIC_RELAXED);
    pthread_setspecific(at_thread_end, own_stack);
  }
  pthread_attr_destroy(&attributes);
}

static bool is_within(const stack *given, uintptr_t address) {
  return address >= __atomic_load_n(&given->low, __ATOMIC_RELAXED) &&
         address < __atomic_load_n(&given->high, __ATOMIC_RELAXED);
}

bool place_is_on_stack(uintptr_t address) {
  if (own_stack != NULL && is_within(own_stack, address)) return true;
  uint32_t count = __atomic_load_n(&stack_count, __ATOMIC_ACQUIRE);
  for (uint32_t index = 0; index < count; index++)
    if (is_within(&stacks[index], address)) return true;
  return false;
}

uint64_t place_frame(uintptr_t address) {
  const stack *own = own_stack;
  if (own == NULL || !is_within(own, address)) return 0;
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  while (frame < address) {
    uintptr_t next = *(const uintptr_t *)frame;
    if (next <= frame || next + 16 > own->high || (next & 7) != 0) return 0;
    frame = next;
  }
  return gw_mix(frame ^ gw_mix(((const uintptr_t *)frame)[1])) | 1;
}

// After the record's own constructor: the main thread gets its record now, and not when the allocator takes a lock.
__attribute__((constructor(102))) static void begin(void) {
  if (!record_is_on()) return;
  pthread_key_create(&at_thread_end, thread_ended);
  gw_self();
  place_note_stack();
}
