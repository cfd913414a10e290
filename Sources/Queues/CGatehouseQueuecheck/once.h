// Initializers that run once.

#ifndef GATEHOUSE_ONCE_H
#define GATEHOUSE_ONCE_H

#pragma GCC visibility push(hidden)

// Leaves what an initializer held that ended by an exception: it never came back.
void once_unwound(void);

#pragma GCC visibility pop

#endif
