// Locates addresses: in an image, or on a stack.

#ifndef GATEHOUSE_PLACES_H
#define GATEHOUSE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Whether the address is in a loaded image: a global variable, or a function.
bool place_is_in_image(uintptr_t address);
// Whether the address is on the stack of a known thread, or among its thread-local variables.
bool place_is_on_stack(uintptr_t address);
// Identifies the call whose stack frame contains an address: by its thread, its function, its frame and its return
// address. 0 if the frame pointers do not lead there, or if the stack belongs to another thread that created no thread
// during that call.
uint64_t place_frame(uintptr_t address);
// The calling thread makes a thread, which may know what is on its stack.
void place_note_calls(void);
// The calling thread begins: its stack counts until it ends. Allocates, so it is not to be called from a lock.
void place_note_stack(void);

#pragma GCC visibility pop

#endif
