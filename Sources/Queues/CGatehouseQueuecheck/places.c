#define _GNU_SOURCE
#include "places.h"

#include <dlfcn.h>
#include <pthread.h>

#include "gatehouse_mix.h"
#include "gatehouse_waits.h"
#include "real.h"
#include "record.h"

// The loader's lock-free look-up also knows images that were opened later. Older C libraries lack it.
bool place_is_in_image(uintptr_t address) {
  if (record_is_in_image(address)) return true;
  if (libc()->_dl_find_object == NULL) return false;
  struct dl_find_object found;
  return libc()->_dl_find_object((void *)address, &found) == 0;
}

// MARK: - Stacks

// The stacks of living threads. A stack for which there is no room here is treated as memory from malloc. A later
// thread may get the memory of a thread that has ended; the number distinguishes them.
typedef struct stack { uintptr_t low, high; uint64_t number; uint32_t is_used; } stack;
enum { STACKS = 1 << 14 };
static stack stacks[STACKS];
static uint32_t stack_count;
static pthread_key_t at_thread_end;
static __thread stack *own_stack __attribute__((tls_model("initial-exec")));

// A call that has not returned: its frame, its return address, and the address in it to which its callee returns.
typedef struct call { uintptr_t frame, back, code; } call;

// The outermost calls of each thread at the time when it last made a thread. Since then, other threads may know their
// locals. The version is odd while the calls are being written.
enum { CALLS = 48 };
typedef struct calls { uint32_t version, count; call all[CALLS]; } calls;
static calls calls_of[STACKS];

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
  static uint64_t last_number;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) own_stack = unused_stack();
  if (own_stack != NULL) {
    own_stack->number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
    calls_of[own_stack - stacks].count = 0;
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

static const stack *stack_of(uintptr_t address) {
  if (own_stack != NULL && is_within(own_stack, address)) return own_stack;
  uint32_t count = __atomic_load_n(&stack_count, __ATOMIC_ACQUIRE);
  for (uint32_t index = 0; index < count; index++)
    if (is_within(&stacks[index], address)) return &stacks[index];
  return NULL;
}

bool place_is_on_stack(uintptr_t address) { return stack_of(address) != NULL; }

// From libgcc; null if no library has loaded it.
extern void *_Unwind_FindEnclosingFunction(void *code) __attribute__((weak));

// Returns the function that contains the code; 0 if unknown. Only looks at tables. Caches the last result, because most
// calls of a thread lock in the same function.
static uintptr_t function_of(uintptr_t code) {
  static __thread uintptr_t last_code __attribute__((tls_model("initial-exec")));
  static __thread uintptr_t last_function __attribute__((tls_model("initial-exec")));
  if (_Unwind_FindEnclosingFunction == NULL || code == 0) return 0;
  if (code != last_code) {
    last_function = (uintptr_t)_Unwind_FindEnclosingFunction((void *)(code - 1));
    last_code = code;
  }
  return last_function;
}

// Moves to the caller of this call. Returns false at the end, and where the frame pointers are not a chain.
static bool next_call(const stack *own, call *now) {
  uintptr_t next = *(const uintptr_t *)now->frame;
  if (next <= now->frame || next + 16 > own->high || (next & 7) != 0) return false;
  *now = (call){.frame = next, .back = ((const uintptr_t *)next)[1], .code = now->back};
  return true;
}

static uint64_t number_of(const stack *of, const call *given) {
  uint64_t place = gw_mix(given->frame ^ gw_mix(given->back));
  return gw_mix(place ^ gw_mix(function_of(given->code) ^ gw_mix(of->number))) | 1;
}

static inline __attribute__((always_inline)) call this_call(void) {
  const uintptr_t *frame = __builtin_frame_address(0);
  return (call){.frame = (uintptr_t)frame, .back = frame[1]};
}

__attribute__((noinline)) void place_note_calls(void) {
  const stack *own = own_stack;
  if (own == NULL) return;
  calls *noted = &calls_of[own - stacks];
  uint32_t depth = 1, count = 0;
  call now = this_call();
  while (next_call(own, &now)) depth++;
  __atomic_fetch_add(&noted->version, 1, __ATOMIC_ACQ_REL);
  now = this_call();
  do {
    if (depth-- <= CALLS) noted->all[count++] = now;
  } while (next_call(own, &now));
  noted->count = count;
  __atomic_fetch_add(&noted->version, 1, __ATOMIC_RELEASE);
}

// Like place_frame, for an address on another thread's stack. Returns 0 unless the call was noted and is still active.
static uint64_t noted_frame(const stack *of, uintptr_t address) {
  const calls *noted = &calls_of[of - stacks];
  uint32_t version = __atomic_load_n(&noted->version, __ATOMIC_ACQUIRE);
  if (version % 2 != 0) return 0;
  uint32_t index = 0;
  while (index < noted->count && index < CALLS && noted->all[index].frame < address) index++;
  // The innermost noted call is place_note_calls itself, or there was no room for calls inside it.
  if (index == 0 || index >= noted->count || index >= CALLS) return 0;
  call found = noted->all[index];
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (__atomic_load_n(&noted->version, __ATOMIC_RELAXED) != version || !is_within(of, found.frame)) return 0;
  return ((const uintptr_t *)found.frame)[1] == found.back ? number_of(of, &found) : 0;
}

uint64_t place_frame(uintptr_t address) {
  const stack *own = own_stack;
  if (own == NULL || !is_within(own, address)) {
    const stack *other = stack_of(address);
    return other == NULL ? 0 : noted_frame(other, address);
  }
  call now = this_call();
  while (now.frame < address)
    if (!next_call(own, &now)) return 0;
  return number_of(own, &now);
}

// Runs after the record's own constructor. The main thread gets its record now, and not when the allocator takes a
// lock.
__attribute__((constructor(102))) static void begin(void) {
  if (!record_is_on()) return;
  pthread_key_create(&at_thread_end, thread_ended);
  gw_self();
  place_note_stack();
}
