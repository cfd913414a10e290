/* Takes the place of malloc and its kin in the whole process, to count. Each hands on to the C library's own, whose
   `free` stays as it is. Thread-local and off unless asked for: elsewhere it costs one test of a flag. */

#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>

#include "CAllocations.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread int is_counting;
static __thread uint64_t seen;

void allocations_begin(void) {
  seen = 0;
  is_counting = 1;
}

void allocations_end(void) { is_counting = 0; }

uint64_t allocations_seen(void) { return seen; }

static inline void count(void) {
  if (__builtin_expect(is_counting, 0)) seen++;
}

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  count();
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  count();
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *made = __libc_memalign(alignment, size);
  if (made == NULL) return ENOMEM;
  *block = made;
  return 0;
}

static void *openssl_malloc(size_t size, const char *file, int line) { return __libc_malloc(size); }
static void *openssl_realloc(void *block, size_t size, const char *file, int line) {
  return __libc_realloc(block, size);
}
static void openssl_free(void *block, const char *file, int line) { free(block); }

int allocations_leave_out_openssl(void) {
  return CRYPTO_set_mem_functions(openssl_malloc, openssl_realloc, openssl_free);
}
