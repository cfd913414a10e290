#include "real.h"

#include <stdlib.h>
#include <unistd.h>

#include "symbols.h"

struct libc libc_functions;
bool libc_is_resolved;
struct real real_functions;
bool real_is_resolved;

#define NAME(result, name, arguments) #name,
static const char *const libc_names[] = {LIBC_FUNCTIONS(NAME)};
static const char *const real_names[] = {DISPATCH_FUNCTIONS(NAME)};
#undef NAME

// A function that an old C library lacks stays null. No program calls it then.
void libc_resolve(void) {
  symbols_behind(libc_names, (void **)&libc_functions, sizeof libc_names / sizeof *libc_names);
  __atomic_store_n(&libc_is_resolved, true, __ATOMIC_RELEASE);
}

static void missing(void) {
  static const char text[] =
      "gate queuecheck: this program calls dispatch, which cannot be found behind the preloaded library\n";
  (void)!write(2, text, sizeof text - 1);
  abort();
}

// Without dispatch, each of its functions stops the program, until a library that is opened later brings dispatch.
void real_resolve(void) {
  struct real found = {0};
  symbols_behind(real_names, (void **)&found, sizeof real_names / sizeof *real_names);
  bool has_dispatch = found.dispatch_sync != NULL;
  for (size_t index = 0; !has_dispatch && index < sizeof real_names / sizeof *real_names; index++)
    ((void **)&found)[index] = (void *)missing;
  real_functions = found;
  if (has_dispatch) __atomic_store_n(&real_is_resolved, true, __ATOMIC_RELEASE);
}

bool real_has_dispatch(void) {
  real();
  return __atomic_load_n(&real_is_resolved, __ATOMIC_ACQUIRE);
}
