// Looks functions up in the loaded images, without the dynamic linker's functions: those may allocate, and the
// allocator may be the caller.

#ifndef GATEHOUSE_SYMBOLS_H
#define GATEHOUSE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Finds the named functions whose address is still null. Each comes from the first image behind this library that
// defines it in its default version.
void symbols_behind(const char *const *names, void **found, size_t count);
// The same for one function.
void *symbol_behind(const char *name);

typedef struct symbol {
  uintptr_t address;
  size_t size;  // of the function
  uintptr_t image_from, image_to;
  bool is_ours;
} symbol;
// The definition that the program's own calls reach. The address is 0 if there is none.
symbol symbol_first(const char *name);

#pragma GCC visibility pop

#endif
