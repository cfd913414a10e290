// Programs that this one starts. Their environment loads this library into them, unless it was cleared or replaced.

#define _GNU_SOURCE
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "real.h"
#include "record.h"

// The C library declares paths and arguments as never null, so that a compiler leaves out comparisons with null. But a
// program that passes null gets an error of the system.
#define AS_GIVEN(pointer) __asm__("" : "+r"(pointer))

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

// Whether a program with this environment gets the library, and the name of gate's socket.
static bool is_kept(char *const *environment) {
  bool is_loaded = false, has_socket = false;
  for (; environment != NULL && *environment != NULL; environment++) {
    if (begins(*environment, "LD_PRELOAD=") && strstr(*environment, "libgatehouse-queuecheck") != NULL)
      is_loaded = true;
    if (begins(*environment, GWR_SOCKET_VARIABLE "=")) has_socket = true;
  }
  return is_loaded && has_socket;
}

// Records that a program starts without the library. Returns its number, from 1; 0: it gets the library, or is noted.
static uint64_t note_start(const char *path, char *const *environment) {
  gwr_header *own = record_is_on() ? record : record_of_parent;
  AS_GIVEN(path);
  if (own == NULL || path == NULL || is_kept(environment)) return 0;
  uint64_t known = __atomic_load_n(&own->dropped, __ATOMIC_RELAXED);
  for (uint64_t row = 0; row < known && row < GWR_DROPPED; row++)
    if (strncmp(own->dropped_paths[row], path, GWR_PATH - 1) == 0) return 0;
  uint64_t number = __atomic_add_fetch(&own->dropped, 1, __ATOMIC_RELAXED);
  if (number <= GWR_DROPPED) strncpy(own->dropped_paths[number - 1], path, GWR_PATH - 1);
  return number;
}

// A call that replaces this program. It returns only if that fails.
typedef struct replacing { uint64_t number; bool was_counted; } replacing;

static replacing begin_replacing(const char *path, char *const *environment) {
  return (replacing){.was_counted = record_uncount_child(), .number = note_start(path, environment)};
}

static int failed(int result, replacing begun) {
  if (begun.was_counted) record_note_child();
  gwr_header *own = record_is_on() ? record : record_of_parent;
  if (own == NULL || begun.number == 0) return result;
  uint64_t latest = begun.number;
  if (begun.number <= GWR_DROPPED) {
    own->dropped_paths[begun.number - 1][0] = 0;
    // A search of a path fails several times. Each time the row is free again.
    __atomic_compare_exchange_n(&own->dropped, &latest, latest - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_sub(&own->dropped, 1, __ATOMIC_RELAXED);
  }
  return result;
}

EXPORTED int execve(const char *path, char *const *arguments, char *const *environment) {
  replacing begun = begin_replacing(path, environment);
  return failed(libc()->execve(path, arguments, environment), begun);
}

EXPORTED int execv(const char *path, char *const *arguments) {
  replacing begun = begin_replacing(path, environ);
  return failed(libc()->execv(path, arguments), begun);
}

EXPORTED int execvp(const char *name, char *const *arguments) {
  replacing begun = begin_replacing(name, environ);
  return failed(libc()->execvp(name, arguments), begun);
}

EXPORTED int execvpe(const char *name, char *const *arguments, char *const *environment) {
  replacing begun = begin_replacing(name, environment);
  return failed(libc()->execvpe(name, arguments, environment), begun);
}

EXPORTED int fexecve(int file, char *const *arguments, char *const *environment) {
  char *const *given = arguments;
  AS_GIVEN(given);
  replacing begun = begin_replacing(given == NULL ? NULL : given[0], environment);
  return failed(libc()->fexecve(file, arguments, environment), begun);
}

// The number of arguments in a list that ends with a null pointer, with that pointer.
static size_t count_of(const char *first, va_list *given) {
  size_t count = 1;
  for (const char *next = first; next != NULL; count++) next = va_arg(*given, const char *);
  return count;
}

// Copies them. `given` is then behind the null pointer.
static void copy_list(char **list, size_t count, const char *first, va_list *given) {
  list[0] = (char *)(uintptr_t)first;
  for (size_t index = 1; index < count; index++) list[index] = va_arg(*given, char *);
}

// Reads the arguments behind `first` into `list`, and leaves `given` behind them.
#define TAKE_LIST(first) \
  va_list given; \
  va_start(given, first); \
  size_t count = count_of(first, &given); \
  va_end(given); \
  char *list[count]; \
  va_start(given, first); \
  copy_list(list, count, first, &given)

EXPORTED int execl(const char *path, const char *first, ...) {
  TAKE_LIST(first);
  va_end(given);
  return execv(path, list);
}

EXPORTED int execlp(const char *name, const char *first, ...) {
  TAKE_LIST(first);
  va_end(given);
  return execvp(name, list);
}

EXPORTED int execle(const char *path, const char *first, ...) {
  TAKE_LIST(first);
  char *const *environment = va_arg(given, char *const *);
  va_end(given);
  return execve(path, list, environment);
}

EXPORTED int posix_spawn(
    pid_t *child, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
    char *const *arguments, char *const *environment) {
  int result = libc()->posix_spawn(child, path, actions, attributes, arguments, environment);
  if (result == 0) note_start(path, environment);
  return result;
}

EXPORTED int posix_spawnp(
    pid_t *child, const char *name, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
    char *const *arguments, char *const *environment) {
  int result = libc()->posix_spawnp(child, name, actions, attributes, arguments, environment);
  if (result == 0) note_start(name, environment);
  return result;
}
