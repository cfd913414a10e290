// Initializers that run once.

#ifndef GATEHOUSE_ONCE_H
#define GATEHOUSE_ONCE_H

#pragma GCC visibility push(hidden)

// Leaves the tokens of the initializers that ended with an exception: they did not return.
void once_unwound(void);

#pragma GCC visibility pop

#endif
