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
// What tells one call of a function from another, for an address on the calling thread's own stack: the frame that has
// it, and where that call returns to. 0 on other stacks, and where frame pointers lead nowhere.
uint64_t place_frame(uintptr_t address);
// The calling thread begins: its stack counts until it ends. Allocates, so it is not to be called from a lock.
void place_note_stack(void);

#pragma GCC visibility pop

#endif
