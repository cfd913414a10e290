// The images that the program has loaded: the code that stacks show, and the location of dispatch.

#define _GNU_SOURCE
#include "record.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

typedef struct range { uintptr_t from, to; } range;
enum { RANGES = 1024 };
static range ranges[RANGES];
static size_t range_count;
static range dispatch_text, runtime_text;
// Dispatch's thread-local variables have the same offset in every thread, because it was loaded with the program.
static uintptr_t dispatch_locals_at, dispatch_locals_size;

static bool is_within(range in, uintptr_t address) { return address >= in.from && address < in.to; }
bool record_is_dispatch(uintptr_t address) { return is_within(dispatch_text, address); }

// Dispatch's first thread-local variable is the thread's ID. It is set from the thread's first call of dispatch until
// dispatch has cleaned up after the thread.
bool record_is_known_to_dispatch(uint32_t tid) {
  uintptr_t at = (uintptr_t)pthread_self() + dispatch_locals_at;
  return dispatch_locals_size >= sizeof tid && *(const uint32_t *)at == tid;
}

static int note_image(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  // Libraries that stacks leave out: they are between the program's code and a wait, and are the same in every program.
  static const char *const machinery[] = {"/libdispatch.so", "/libswiftDispatch.so", "/libBlocksRuntime.so"};
  bool is_hidden = false;
  for (size_t index = 0; index < sizeof machinery / sizeof *machinery; index++)
    if (strstr(info->dlpi_name, machinery[index]) != NULL) is_hidden = true;
  bool is_runtime = strstr(info->dlpi_name, "/swift/linux/") != NULL;
  for (size_t index = 0; index < info->dlpi_phnum && range_count < RANGES; index++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
    bool is_dispatch = is_hidden && strstr(info->dlpi_name, machinery[0]) != NULL;
    if (is_dispatch && segment->p_type == PT_TLS && info->dlpi_tls_data != NULL) {
      dispatch_locals_at = (uintptr_t)info->dlpi_tls_data - (uintptr_t)pthread_self();
      dispatch_locals_size = segment->p_memsz;
    }
    if (segment->p_type != PT_LOAD) continue;
    uintptr_t from = info->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
    bool is_own = (uintptr_t)note_image >= from && (uintptr_t)note_image < to;
    if (is_dispatch && (segment->p_flags & PF_X)) dispatch_text = (range){from, to};
    if (is_runtime && (segment->p_flags & PF_X) && strstr(info->dlpi_name, "/libswiftCore.so") != NULL)
      runtime_text = (range){from, to};
    if (segment->p_flags & PF_X) gw_text(from, to, is_own || is_hidden, is_hidden || is_runtime);
    if (segment->p_flags & PF_W) ranges[range_count++] = (range){from, to};
  }
  return 0;
}

// Covers only the images that were loaded with the program: asking the loader later would wait for its lock.
bool record_is_in_image(uintptr_t address) {
  for (size_t index = 0; index < range_count; index++)
    if (is_within(ranges[index], address)) return true;
  return false;
}

bool record_is_in_runtime(void) {
  uintptr_t caller;
  return runtime_text.to != 0 && gw_stack(&caller, 1, 0) == 1 && is_within(runtime_text, caller);
}

// Without an unwinder some stacks lack a frame.
static void use_unwinder(void) {
  void *library = dlopen("libgcc_s.so.1", RTLD_LAZY);
  if (library == NULL) return;
  gw_unwinder found;
  *(void **)&found.backtrace = dlsym(library, "_Unwind_Backtrace");
  *(void **)&found.address = dlsym(library, "_Unwind_GetIP");
  *(void **)&found.top = dlsym(library, "_Unwind_GetCFA");
  if (found.backtrace != NULL && found.address != NULL && found.top != NULL) gw_set_unwinder(found);
}

void images_copy(void) {
  int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (from < 0) return;
  char *text = ROWS(char, maps);
  uint64_t count = 0;
  ssize_t got;
  while (count < record->maps.room && (got = read(from, text + count, record->maps.room - count)) > 0)
    count += (uint64_t)got;
  close(from);
  // Never lower the count: a truncated map lacks the images after the cut, and the earlier map may be complete.
  if (count > record->maps.count) __atomic_store_n(&record->maps.count, count, __ATOMIC_RELEASE);
}

void images_begin(void) {
  dl_iterate_phdr(note_image, NULL);
  images_copy();
  use_unwinder();
}
