#ifndef CRAW_H
#define CRAW_H

#include <stddef.h>
#include <stdint.h>

/* OpenSSL alone, in loops with contexts that are set up once: what a token library is measured against. */

typedef enum { RAW_RS256, RAW_ES256, RAW_ED25519, RAW_HS256 } raw_kind;

/* A key, for any number of threads. */
typedef struct raw_key raw_key;
/* What one thread signs and verifies with. */
typedef struct raw_context raw_context;

/* A new key (RSA of 2048 bits, P-256, Ed25519, 32 random bytes); null if OpenSSL cannot. Never freed. */
raw_key *raw_key_generate(raw_kind kind);
/* PEM, to be freed; null for a shared secret. */
char *raw_key_private_pem(const raw_key *key);
char *raw_key_public_pem(const raw_key *key);
/* The 32 bytes of a shared secret; null for a key pair. */
const uint8_t *raw_key_secret(const raw_key *key);

raw_context *raw_context_new(const raw_key *key);
void raw_context_free(raw_context *context);

/* Verifies `count` times, and says how often the answer was yes. ECDSA signatures are in DER. */
long raw_verify(raw_context *context, const uint8_t *message, size_t message_length, const uint8_t *signature,
                size_t signature_length, long count);
/* Signs `count` times into a buffer of `*signature_length` bytes, and says how often that went well. */
long raw_sign(raw_context *context, const uint8_t *message, size_t message_length, uint8_t *signature,
              size_t *signature_length, long count);

/* Hashes a short password with scrypt `count` times, and says how often that went well. */
long raw_scrypt(uint64_t n, uint64_t r, uint64_t p, long count);

/* The library that this process runs with. */
const char *raw_openssl_version(void);

#endif
