#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

/* Whatever links this has its calls of malloc and its kin counted. */

/* Leaves OpenSSL's own allocations out of the count. Before anything else; 1 if OpenSSL agreed. */
int allocations_leave_out_openssl(void);
/* Counts this thread's calls of malloc and its kin, from `begin` to `end`. */
void allocations_begin(void);
void allocations_end(void);
/* How many there were since `begin`. */
uint64_t allocations_seen(void);

#endif
