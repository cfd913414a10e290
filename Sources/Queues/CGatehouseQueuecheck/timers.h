// Until when the program's timers may fire.

#ifndef GATEHOUSE_TIMERS_H
#define GATEHOUSE_TIMERS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

// A block was submitted that runs at that time of dispatch: `dispatch_after`.
void timer_after(uint64_t when);

#pragma GCC visibility pop

#endif
