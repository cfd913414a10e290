// Base64url and JSON strings, many bytes at a time, with vector instructions that Swift cannot express.
//
// On a processor without the instructions the base64url functions return 0, and Swift does all of it.

#ifndef GATEHOUSE_BYTES_H
#define GATEHOUSE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Base64url (RFC 4648, section 5). No branch and no address depends on the bytes' values.

// Decodes a prefix of a text, parts of it perhaps twice. Writes 3 bytes for every 4 characters, and 4 meaningless bytes
// after the last. Returns how many characters it decoded: the largest multiple of 4, or none.
// If a character is not of the alphabet, sets `is_malformed`, and the written bytes mean nothing; otherwise leaves it
// unchanged.
size_t gatehouse_base64url_decode(const uint8_t *text, size_t count, uint8_t *bytes, bool *is_malformed);

// Encodes a prefix of some bytes. Writes 4 characters for every 3 bytes, and nothing more. Returns how many bytes it
// encoded, a multiple of 3: at most 15 bytes are left, or all of them.
size_t gatehouse_base64url_encode(const uint8_t *bytes, size_t count, uint8_t *text);

// MARK: JSON

// How many of 16 bytes, from the first on, are plain in a JSON string: not a quote, a backslash or a control character,
// and ASCII.
static inline size_t gatehouse_plain_length(const uint8_t *bytes) {
  typedef signed char Bytes __attribute__((vector_size(16), aligned(1), may_alias));
  const Bytes text = *(const Bytes *)bytes;
  // In a signed comparison, bytes that are not ASCII are below the control characters.
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
