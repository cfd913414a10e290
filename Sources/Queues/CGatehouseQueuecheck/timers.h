// The time until which the program's timers may fire.

#ifndef GATEHOUSE_TIMERS_H
#define GATEHOUSE_TIMERS_H

#include <stdint.h>

#include "real.h"

#pragma GCC visibility push(hidden)

// Records that a block was submitted with `dispatch_after`, to run on a queue at that time of dispatch.
void timer_after(uint64_t when, object queue);

#pragma GCC visibility pop

#endif
