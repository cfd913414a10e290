// Mixes numbers for the recorder's hash tables: every bit of the input affects every bit of the result.

#ifndef GATEHOUSE_MIX_H
#define GATEHOUSE_MIX_H

#include <stdint.h>

static inline uint64_t gw_mix(uint64_t value) {
  value ^= value >> 32;
  value *= 0xD6E8FEB86659FD93u;
  value ^= value >> 32;
  value *= 0xD6E8FEB86659FD93u;
  return value ^ value >> 32;
}

#endif
