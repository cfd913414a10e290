// A file in memory, for the names of addresses.

#define _GNU_SOURCE
#include "gatehouse_waits.h"

#include <sys/mman.h>

int gw_memory_file(void) { return memfd_create("gatehouse-debug-excerpt", MFD_CLOEXEC); }
