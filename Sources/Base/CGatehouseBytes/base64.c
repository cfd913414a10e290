// The method of W. Muła and D. Lemire, "Faster Base64 Encoding and Decoding Using AVX2 Instructions" (2018), for the
// URL alphabet.

#include "gatehouse_bytes.h"

#ifdef __x86_64__

#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

static bool has_avx2(void) { return __builtin_cpu_supports("avx2"); }

// A table with an entry for each upper half of a character.
#define BY_UPPER_HALF(two, three, four, five, six, seven, rest) \
  _mm256_broadcastsi128_si256(_mm_setr_epi8(rest, rest, two, three, four, five, six, seven, \
                                            rest, rest, rest, rest, rest, rest, rest, rest))

// Decodes 32 characters. A character outside the alphabet sets bits of `outside`.
WITH_AVX2
static inline void decode_block(const uint8_t *text, uint8_t *bytes, __m256i *outside) {
  // The characters with the same upper half are consecutive, except `_`, which shares its upper half with P to Z.
  // Comparisons are signed: a byte above 127 is below every lower bound. An upper half without characters has a lower
  // bound above its upper bound.
  const __m256i lowest = BY_UPPER_HALF('-', '0', 'A', 'P', 'a', 'p', 1);
  const __m256i highest = BY_UPPER_HALF('-', '9', 'O', 'Z', 'o', 'z', 0);
  const __m256i distances = BY_UPPER_HALF(62 - '-', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0);
  const __m256i order =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
  const __m256i characters = _mm256_loadu_si256((const __m256i *)text);
  const __m256i half = _mm256_and_si256(_mm256_srli_epi32(characters, 4), _mm256_set1_epi8(0x0F));
  const __m256i is_underscore = _mm256_cmpeq_epi8(characters, _mm256_set1_epi8('_'));
  const __m256i is_below = _mm256_cmpgt_epi8(_mm256_shuffle_epi8(lowest, half), characters);
  const __m256i is_above = _mm256_cmpgt_epi8(characters, _mm256_shuffle_epi8(highest, half));
  *outside = _mm256_or_si256(*outside, _mm256_andnot_si256(is_underscore, _mm256_or_si256(is_below, is_above)));
  const __m256i distance = _mm256_add_epi8(
      _mm256_shuffle_epi8(distances, half), _mm256_and_si256(is_underscore, _mm256_set1_epi8(63 - '_' + 'A')));
  const __m256i sextets = _mm256_add_epi8(characters, distance);
  // Combines sextets into pairs of 12 bits, and pairs into blocks of 24, then orders their bytes: 12 in each half.
  const __m256i pairs = _mm256_maddubs_epi16(sextets, _mm256_set1_epi32(0x01400140));
  const __m256i blocks = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
  const __m256i decoded = _mm256_shuffle_epi8(blocks, order);
  _mm_storeu_si128((__m128i *)bytes, _mm256_castsi256_si128(decoded));
  _mm_storeu_si128((__m128i *)(bytes + 12), _mm256_extracti128_si256(decoded, 1));
}

WITH_AVX2
static size_t decode(const uint8_t *text, size_t count, uint8_t *bytes, bool *is_malformed) {
  if (count < 32) return 0;
  const size_t whole = count / 4 * 4;
  __m256i outside = _mm256_setzero_si256();
  for (size_t read = 0; whole - read > 32; read += 32) decode_block(text + read, bytes + read / 4 * 3, &outside);
  // The last 32 characters, some of which may already be decoded.
  decode_block(text + whole - 32, bytes + (whole - 32) / 4 * 3, &outside);
  if (!_mm256_testz_si256(outside, outside)) *is_malformed = true;
  return whole;
}

WITH_AVX2
static size_t encode(const uint8_t *bytes, size_t count, uint8_t *text) {
  const __m128i order = _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
  // Indexed by the kind of character: a to z, each digit, `-`, `_`, A to Z.
  const __m128i distances = _mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                                          '0' - 52, '0' - 52, '0' - 52, '0' - 52, '-' - 62, '_' - 63, 'A', 0, 0);
  size_t read = 0;
  for (; count - read >= 16; read += 12) {
    const __m128i input = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + read)), order);
    // A multiplication shifts the first and third of four sextets right; another shifts the second and fourth left.
    const __m128i odd = _mm_mulhi_epu16(_mm_and_si128(input, _mm_set1_epi32(0x0FC0FC00)), _mm_set1_epi32(0x04000040));
    const __m128i even = _mm_mullo_epi16(_mm_and_si128(input, _mm_set1_epi32(0x003F03F0)), _mm_set1_epi32(0x01000010));
    const __m128i sextets = _mm_or_si128(odd, even);
    const __m128i is_capital = _mm_cmplt_epi8(sextets, _mm_set1_epi8(26));
    const __m128i kind =
        _mm_or_si128(_mm_subs_epu8(sextets, _mm_set1_epi8(51)), _mm_and_si128(is_capital, _mm_set1_epi8(13)));
    _mm_storeu_si128((__m128i *)(text + read / 3 * 4), _mm_add_epi8(sextets, _mm_shuffle_epi8(distances, kind)));
  }
  return read;
}

#else

// Only x86-64 has these instructions; on other processors Swift does all the work.
static bool has_avx2(void) { return false; }
static size_t decode(const uint8_t *text, size_t count, uint8_t *bytes, bool *is_malformed) { return 0; }
static size_t encode(const uint8_t *bytes, size_t count, uint8_t *text) { return 0; }

#endif

size_t gatehouse_base64url_decode(const uint8_t *text, size_t count, uint8_t *bytes, bool *is_malformed) {
  return has_avx2() ? decode(text, count, bytes, is_malformed) : 0;
}

size_t gatehouse_base64url_encode(const uint8_t *bytes, size_t count, uint8_t *text) {
  return has_avx2() ? encode(bytes, count, text) : 0;
}
