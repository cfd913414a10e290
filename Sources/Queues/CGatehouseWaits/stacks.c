// Call stacks: return addresses, found by frame pointers, and with the unwinder's help where a function has none.

#define _GNU_SOURCE
#include "gatehouse_table.h"
#include "thread.h"

#include <pthread.h>

// MARK: - What is known about code

// A range of code that gw_text described.
typedef struct text { uintptr_t from, to; bool is_hidden, is_small; } text;
enum { TEXTS = 1024 };
static text texts[TEXTS];
static size_t text_count;

void gw_text(uintptr_t from, uintptr_t to, bool is_hidden, bool is_small) {
  if (text_count >= TEXTS) return;
  // Hidden ranges come first, because every frame looks them up.
  text given = {from, to, is_hidden, is_small};
  size_t index = text_count++;
  if (is_hidden)
    for (; index > 0 && !texts[index - 1].is_hidden; index--) texts[index] = texts[index - 1];
  texts[index] = given;
}

static inline bool is_hidden(uintptr_t address) {
  for (size_t index = 0; index < text_count && texts[index].is_hidden; index++)
    if (address >= texts[index].from && address < texts[index].to) return true;
  return false;
}

static const text *text_of(uintptr_t address) {
  for (size_t index = 0; index < text_count; index++)
    if (address >= texts[index].from + 8 && address < texts[index].to) return &texts[index];
  return NULL;
}

// A function without a frame pointer hides its caller behind the words that it pushed on the stack. Their number is
// always the same for one return address, so the unwinder is asked for it once. The stored value is that number plus
// one.
static gw_table gaps;
static gw_unwinder unwinder;

void gw_set_unwinder(gw_unwinder given) {
  if (gw_table_make(&gaps, 16)) unwinder = given;
}

static uint64_t gap_key(uintptr_t address) { return gw_mix(address); }

// A stored value of 0 means that the number is unknown.
static void note_gap(uintptr_t address, uint64_t words) {
  gw_row *row = gw_table_add(&gaps, gap_key(address), NULL);
  if (row != NULL) __atomic_store_n(&row->value, words + 1, __ATOMIC_RELAXED);
}

typedef struct unwinding {
  uintptr_t frame;    // the next frame pointer of the chain that was not met yet
  uintptr_t address;  // the last return address that was met
  uintptr_t top;      // the end of the stack at that call
  const gw_thread *self;
  uint32_t count;
} unwinding;

static int unwound(void *context, void *given) {
  unwinding *now = given;
  uintptr_t top = unwinder.top(context);
  // The frame of the function at `address` ends here. The function has a frame pointer if the chain leads here.
  while (now->frame != 0 && now->frame + 16 < top) {
    uintptr_t next = *(uintptr_t *)now->frame;
    bool is_on_stack = next >= now->self->stack_low && next + 16 <= now->self->stack_high && (next & 7) == 0;
    now->frame = next > now->frame && is_on_stack ? next : 0;
  }
  if (now->address != 0) {
    bool has_pointer = now->frame + 16 == top;
    uint64_t words = has_pointer || top <= now->top ? 0 : (top - now->top) / 8;
    if (words < 0xFFFF) note_gap(now->address, words);
  }
  now->address = unwinder.address(context);
  now->top = top;
  return ++now->count > 64 ? 5 : 0;  // 5: the end of the stack
}

static __attribute__((noinline)) void learn(const gw_thread *self) {
  gw_is_inside = true;
  unwinding now = {.self = self, .frame = (uintptr_t)__builtin_frame_address(0)};
  unwinder.backtrace(unwound, &now);
  gw_is_inside = false;
}

enum { DEEPEST = 24 };

// Whether the instruction before the address is a call.
static bool follows_call(uintptr_t address) {
  if (text_of(address) == NULL) return false;
#if defined(__x86_64__)
  const uint8_t *after = (const uint8_t *)address;
  if (after[-5] == 0xE8) return true;
  for (int length = 2; length <= 7; length++)
    if (after[-length] == 0xFF && (after[-length + 1] & 0x38) == 0x10) return true;
  return false;
#else
  return false;
#endif
}

// Some functions of the toolchain have neither a frame pointer nor unwind information. They are small, so the first
// return address above is that of their caller.
static uintptr_t search(const gw_thread *self, uintptr_t address, uintptr_t top) {
  const text *own = text_of(address);
  if (own == NULL || !own->is_small) return 0;
  for (uintptr_t words = 1; words <= DEEPEST && top + words * 8 <= self->stack_high; words++)
    if (follows_call(((uintptr_t *)top)[words - 1])) return words;
  return 0;
}

// The number of bytes that a function pushed on the stack before its call. 0: it has a frame pointer.
static inline uintptr_t gap(const gw_thread *self, uintptr_t address, uintptr_t top) {
  const gw_row *known = gw_table_find(&gaps, gap_key(address));
  uint64_t value = known == NULL ? 0 : __atomic_load_n(&known->value, __ATOMIC_RELAXED);
  if (value == 0) {
    learn(self);
    known = gw_table_find(&gaps, gap_key(address));
    value = known == NULL ? 0 : __atomic_load_n(&known->value, __ATOMIC_RELAXED);
    // Remember it, so that the unwinder is not asked again about a function that it does not know.
    if (value == 0) {
      value = search(self, address, top) + 1;
      note_gap(address, value - 1);
    }
  }
  return (value - 1) * 8;
}

// Each step goes up the stack, to a frame within it. So nothing else is read, whatever a function left in the frame
// pointer.
__attribute__((no_sanitize("thread", "address"))) uint32_t gw_walk(
    const gw_thread *self, uintptr_t frame, uintptr_t *frames, uint32_t count, uint32_t skip) {
  uint32_t found = 0;
  while (found < count && frame >= self->stack_low && frame + 16 <= self->stack_high && (frame & 7) == 0) {
    uintptr_t next = ((uintptr_t *)frame)[0];
    uintptr_t address = ((uintptr_t *)frame)[1];
    uintptr_t top = frame + 16;
    while (address >= 4096 && found < count) {
      if (skip > 0) skip--;
      else if (!is_hidden(address)) PUT(frames[found++], address);
      uintptr_t words = unwinder.backtrace == NULL || gw_is_inside ? 0 : gap(self, address, top);
      top += words;
      if (words == 0 || top > self->stack_high) break;
      address = ((uintptr_t *)top)[-1];
    }
    if (address < 4096 || next <= frame) break;
    frame = next;
  }
  return found;
}

__attribute__((noinline)) uint32_t gw_stack(uintptr_t *frames, uint32_t count, uint32_t skip) {
  const gw_thread *self = gw_self();
  return self == NULL ? 0 : gw_walk(self, (uintptr_t)__builtin_frame_address(0), frames, count, skip);
}

static __thread uintptr_t own_low, own_high;

static void find_own_stack(void) {
  pthread_attr_t attributes;
  void *low = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    own_low = (uintptr_t)low;
    own_high = own_low + size;
  }
  pthread_attr_destroy(&attributes);
}

// In the frame of an asynchronous function, this bit is set in the caller's frame pointer: a context is stored beside
// it.
static const uintptr_t ASYNC_FRAME = (uintptr_t)1 << 60;

__attribute__((noinline, no_sanitize("thread", "address"))) uint32_t gw_callers(uintptr_t *frames, uint32_t count) {
  if (own_high == 0) find_own_stack();
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  uint32_t found = 0;
  while (found < count && frame >= own_low && frame + 16 <= own_high && (frame & 7) == 0) {
    uintptr_t next = ((uintptr_t *)frame)[0] & ~ASYNC_FRAME;
    uintptr_t address = ((uintptr_t *)frame)[1];
    if (address < 4096) break;
    frames[found++] = address;
    if (next <= frame) break;
    frame = next;
  }
  return found;
}

