#include "keys.h"

#include <openssl/pem.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

raw_key *raw_key_generate(raw_kind kind) {
  raw_key *key = calloc(1, sizeof *key);
  if (key == NULL) return NULL;
  key->kind = kind;
  switch (kind) {
    case RAW_RS256: key->pair = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048); break;
    case RAW_ES256: key->pair = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); break;
    case RAW_ED25519: key->pair = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); break;
    case RAW_HS256:
      if (RAND_bytes(key->secret, sizeof key->secret) == 1) return key;
      break;
  }
  if (key->pair != NULL) return key;
  free(key);
  return NULL;
}

static char *text_of(BIO *file) {
  char *bytes = NULL;
  long length = BIO_get_mem_data(file, &bytes);
  char *text = length > 0 ? strndup(bytes, (size_t)length) : NULL;
  BIO_free(file);
  return text;
}

char *raw_key_private_pem(const raw_key *key) {
  if (key->pair == NULL) return NULL;
  BIO *file = BIO_new(BIO_s_mem());
  if (file == NULL) return NULL;
  PEM_write_bio_PKCS8PrivateKey(file, key->pair, NULL, NULL, 0, NULL, NULL);
  return text_of(file);
}

char *raw_key_public_pem(const raw_key *key) {
  if (key->pair == NULL) return NULL;
  BIO *file = BIO_new(BIO_s_mem());
  if (file == NULL) return NULL;
  PEM_write_bio_PUBKEY(file, key->pair);
  return text_of(file);
}

const uint8_t *raw_key_secret(const raw_key *key) { return key->pair == NULL ? key->secret : NULL; }

const char *raw_openssl_version(void) { return OpenSSL_version(OPENSSL_VERSION_STRING); }
