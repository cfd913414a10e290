// Initializers that run once: pthread_once, C11's call_once (and C++'s, which is pthread_once) and swift_once, which
// Swift calls at each access to a lazy global.
//
// An initializer holds its token, and each access asks for it, even after the initializer has ended: in another run
// the same access may be the first.

#include "once.h"

#include <stddef.h>

#include "gatehouse_mix.h"
#include "locks.h"
#include "queues.h"
#include "record.h"
#include "symbols.h"

// MARK: - Initializers of the calling thread

// A token that the thread holds while its initializer runs.
typedef struct initializer { uint64_t instance; const int *token; } initializer;
enum { DEPTH = 32 };
static __thread initializer initializers[DEPTH] __attribute__((tls_model("initial-exec")));
static __thread uint32_t depth __attribute__((tls_model("initial-exec")));

// glibc's token states. An exception resets the token to 0.
enum { RUNS = 1, DONE = 2 };

static int state_of(const int *token) { return __atomic_load_n(token, __ATOMIC_ACQUIRE); }

void once_unwound(void) {
  while (__builtin_expect(depth != 0, 0) && (state_of(initializers[depth - 1].token) & (RUNS | DONE)) != RUNS)
    gw_leave(initializers[--depth].instance);
}

// MARK: - Asking

// Hashes of a token and of what the thread held, for its latest accesses to tokens whose initializers had ended. Such
// an access does not wait, and makes the same edges each time.
enum { LATEST = 64 };
static __thread uint64_t latest[LATEST] __attribute__((tls_model("initial-exec")));

static bool is_known(const gw_thread *self, const void *token) {
  uint64_t key = gw_mix((uintptr_t)token);
  for (uint32_t index = 0; index < self->depth && index < GW_HOLDS; index++)
    key ^= gw_mix(self->holds[index].thing.instance);
  uint64_t *slot = &latest[gw_mix(key) % LATEST];
  bool was_known = *slot == key;
  *slot = key;
  return was_known;
}

// Asks for a token. Returns its thing if the initializer may run now.
static __attribute__((noinline)) gw_thing ask_token(const void *token, bool is_done) {
  const gw_thread *self = record_is_on() ? gw_self() : NULL;
  if (self == NULL || (is_done && (self->depth == 0 || is_known(self, token)))) return (gw_thing){0};
  thing *found = lock_at(token, GWR_ONCE);
  if (found == NULL) return (gw_thing){0};
  lock_ask(found, exclusive(found));
  if (!is_done) return exclusive(found);
  gw_asked();
  return (gw_thing){0};
}

// MARK: - Running

typedef struct call {
  struct call *outer;
  gw_thing token;
  int *state;
  void (*work)(void);
} call;
static __thread call *latest_call __attribute__((tls_model("initial-exec")));

static void run_latest(void) {
  const call *now = latest_call;
  uint32_t before = depth;
  gw_enter(now->token);
  gw_asked();
  if (depth < DEPTH) initializers[depth++] = (initializer){now->token.instance, now->state};
  now->work();
  depth = before;
  gw_leave(now->token.instance);
}

EXPORTED int pthread_once(pthread_once_t *token, void (*work)(void)) {
  gw_thing asked = ask_token(token, (state_of(token) & DONE) != 0);
  if (asked.instance == 0) return libc()->pthread_once(token, work);
  call now = {.outer = latest_call, .token = asked, .state = token, .work = work};
  latest_call = &now;
  int result = libc()->pthread_once(token, run_latest);
  latest_call = now.outer;
  gw_asked();
  return result;
}

EXPORTED void call_once(once_flag *flag, void (*work)(void)) { pthread_once(&flag->__data, work); }

// MARK: - Swift

typedef void (*swift_once_function)(int *token, void (*work)(void *), void *context);

// Swift's runtime may be loaded later than this library.
static swift_once_function real_swift_once(void) {
  static void *found;
  void *known = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (known == NULL) __atomic_store_n(&found, known = symbol_behind("swift_once"), __ATOMIC_RELAXED);
  return (swift_once_function)known;
}

typedef struct swift_call { gw_thing token; void (*work)(void *); void *context; } swift_call;

static void run_swift(void *given) {
  const swift_call *now = given;
  gw_enter(now->token);
  gw_asked();
  now->work(now->context);
  gw_leave(now->token.instance);
}

void swift_once(int *token, void (*work)(void *), void *context);
EXPORTED void swift_once(int *token, void (*work)(void *), void *context) {
  // The runtime makes the token negative when the initializer has ended.
  gw_thing asked = ask_token(token, state_of(token) < 0);
  if (asked.instance == 0) return real_swift_once()(token, work, context);
  swift_call now = {asked, work, context};
  real_swift_once()(token, run_swift, &now);
  gw_asked();
}
