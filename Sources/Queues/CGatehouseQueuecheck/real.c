#include "real.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct real real_functions;
bool real_is_resolved;

// glibc has two versions of the functions for condition variables; without a version, dlsym may find the old one.
static void *next_pthread(const char *name) {
  void *found = NULL;
  if (strncmp(name, "pthread_cond_", 13) == 0) found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  return found != NULL ? found : dlsym(RTLD_NEXT, name);
}

// A library that the program loads itself is not found by RTLD_NEXT, only by its name.
static void *next_dispatch(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found != NULL) return found;
  void *library = dlopen("libdispatch.so", RTLD_NOLOAD | RTLD_LAZY);
  return library == NULL ? NULL : dlsym(library, name);
}

static void missing(void) {
  static const char text[] =
      "gate queuecheck: this program calls dispatch, which cannot be found behind the preloaded library\n";
  (void)!write(2, text, sizeof text - 1);
  abort();
}

static bool has_dispatch;

bool real_has_dispatch(void) {
  real();
  return has_dispatch;
}

void real_resolve(void) {
#define RESOLVE(result, name, arguments) real_functions.name = (result(*) arguments)next_pthread(#name);
  PTHREAD_FUNCTIONS(RESOLVE)
#undef RESOLVE
#define RESOLVE(result, name, arguments) real_functions.name = (result(*) arguments)next_dispatch(#name);
  DISPATCH_FUNCTIONS(RESOLVE)
#undef RESOLVE
  has_dispatch = real_functions.dispatch_sync != NULL;
  if (!has_dispatch) {
#define REFUSE(result, name, arguments) \
  if (real_functions.name == NULL) real_functions.name = (result(*) arguments)missing;
    DISPATCH_FUNCTIONS(REFUSE)
#undef REFUSE
  }
  __atomic_store_n(&real_is_resolved, true, __ATOMIC_RELEASE);
}
