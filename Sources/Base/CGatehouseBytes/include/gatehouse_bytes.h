// Base64url and JSON strings, many bytes at a time, with vector instructions that Swift cannot express.
//
// On a processor without these instructions, the base64url functions return 0 and Swift does all the work.

#ifndef GATEHOUSE_BYTES_H
#define GATEHOUSE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Base64url (RFC 4648, section 5). No branch and no address depends on the bytes' values.

// Decodes a prefix of a text, possibly parts of it twice. Writes 3 bytes for every 4 characters, and 4 meaningless
// bytes after the last. Returns the number of decoded characters: the largest multiple of 4, or 0.
// If a character is outside the alphabet, sets `is_malformed`, and the written bytes are meaningless; otherwise leaves
// it unchanged.
size_t gatehouse_base64url_decode(const uint8_t *text, size_t count, uint8_t *bytes, bool *is_malformed);

// Encodes a prefix of some bytes. Writes exactly 4 characters for every 3 bytes. Returns the number of encoded bytes, a
// multiple of 3: at most 15 bytes are left, or all of them.
size_t gatehouse_base64url_encode(const uint8_t *bytes, size_t count, uint8_t *text);

// MARK: JSON

// The number of leading plain bytes among 16 bytes of a JSON string: ASCII, and not a quote, a backslash or a control
// character.
static inline size_t gatehouse_plain_length(const uint8_t *bytes) {
  typedef signed char Bytes __attribute__((vector_size(16), aligned(1), may_alias));
  const Bytes text = *(const Bytes *)bytes;
  // In a signed comparison, non-ASCII bytes are less than the control characters.
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
