// Many bytes at a time: what Swift has no names for, and what tokens are too long to do without.
//
// Where a processor lacks the instructions, the functions say that they did nothing, and Swift does all of it.

#ifndef GATEHOUSE_BYTES_H
#define GATEHOUSE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Base64url (RFC 4648, section 5). No branch and no address depends on what the bytes are.

// Decodes the front of a text, some of it perhaps twice: for every 4 characters 3 bytes are written, and behind the last of them 4
// more, which mean nothing. Returns how many characters it did: all but the last 3 at most, or none.
// If one of them is not of the alphabet, `is_malformed` becomes true and the bytes mean nothing; otherwise it stays as it is.
size_t gatehouse_base64url_decode(const uint8_t *text, size_t count, uint8_t *bytes, bool *is_malformed);

// Encodes the front of some bytes: for every 3 of them 4 characters are written, no more. Returns how many bytes it did, a
// multiple of 3: all but the last 15 at most, or none.
size_t gatehouse_base64url_encode(const uint8_t *bytes, size_t count, uint8_t *text);

// MARK: JSON

// How many of 16 bytes, from the first on, stand for themselves in a JSON string: none is a quote, a backslash, a control
// character, or a part of what is not ASCII.
static inline size_t gatehouse_plain_length(const uint8_t *bytes) {
  typedef signed char Bytes __attribute__((vector_size(16), aligned(1), may_alias));
  const Bytes text = *(const Bytes *)bytes;
  // Compared as signed numbers, what is not ASCII is below the control characters.
  const Bytes ends = (text < 0x20) | (text == '"') | (text == '\\');
#ifdef __SSE2__
  return (size_t)__builtin_ctz((unsigned)__builtin_ia32_pmovmskb128(ends) | 0x10000);
#else
  typedef uint64_t Words __attribute__((vector_size(16)));
  const Words words = (Words)ends;
  if (words[0] != 0) return (size_t)__builtin_ctzll(words[0]) / 8;
  return words[1] != 0 ? 8 + (size_t)__builtin_ctzll(words[1]) / 8 : 16;
#endif
}

#endif
