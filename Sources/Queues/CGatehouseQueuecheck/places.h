// Where an address is.

#ifndef GATEHOUSE_PLACES_H
#define GATEHOUSE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Whether the address is in a loaded image: a global variable, or a function.
bool place_is_in_image(uintptr_t address);
// Whether the address is on the stack of a thread that was seen, or among its thread-local variables.
bool place_is_on_stack(uintptr_t address);
// The calling thread begins: its stack counts until it ends. Allocates, so it is not to be called from a lock.
void place_note_stack(void);

#pragma GCC visibility pop

#endif
