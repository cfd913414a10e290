#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/rsa.h>
#include <stdlib.h>

#include "keys.h"

struct raw_context {
  raw_kind kind;
  EVP_PKEY *pair;
  EVP_MD *sha256;
  EVP_MD_CTX *digest; /* of the message; with Ed25519 of the whole operation */
  EVP_PKEY_CTX *verify;
  EVP_PKEY_CTX *sign;
  EVP_MAC *hmac;
  EVP_MAC_CTX *mac;
};

static int set_up(const raw_context *context, EVP_PKEY_CTX *operation) {
  if (context->kind == RAW_RS256 && EVP_PKEY_CTX_set_rsa_padding(operation, RSA_PKCS1_PADDING) != 1) return 0;
  return EVP_PKEY_CTX_set_signature_md(operation, context->sha256) == 1;
}

static int set_up_pair(raw_context *context, const raw_key *key) {
  context->pair = key->pair;
  context->digest = EVP_MD_CTX_new();
  context->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  if (context->digest == NULL || context->sha256 == NULL) return 0;
  if (context->kind == RAW_ED25519) return 1;
  context->verify = EVP_PKEY_CTX_new_from_pkey(NULL, key->pair, NULL);
  context->sign = EVP_PKEY_CTX_new_from_pkey(NULL, key->pair, NULL);
  return context->verify != NULL && context->sign != NULL && EVP_PKEY_verify_init(context->verify) == 1 &&
         set_up(context, context->verify) && EVP_PKEY_sign_init(context->sign) == 1 && set_up(context, context->sign);
}

static int set_up_mac(raw_context *context, const raw_key *key) {
  OSSL_PARAM list[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0), OSSL_PARAM_construct_end()};
  context->hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  context->mac = context->hmac == NULL ? NULL : EVP_MAC_CTX_new(context->hmac);
  return context->mac != NULL && EVP_MAC_init(context->mac, key->secret, sizeof key->secret, list) == 1;
}

raw_context *raw_context_new(const raw_key *key) {
  raw_context *context = calloc(1, sizeof *context);
  if (context == NULL) return NULL;
  context->kind = key->kind;
  if (key->kind == RAW_HS256 ? set_up_mac(context, key) : set_up_pair(context, key)) return context;
  raw_context_free(context);
  return NULL;
}

void raw_context_free(raw_context *context) {
  if (context == NULL) return;
  EVP_MD_CTX_free(context->digest);
  EVP_PKEY_CTX_free(context->verify);
  EVP_PKEY_CTX_free(context->sign);
  EVP_MAC_CTX_free(context->mac);
  EVP_MAC_free(context->hmac);
  EVP_MD_free(context->sha256);
  free(context);
}

static int hash(raw_context *context, const uint8_t *message, size_t length, uint8_t *digest) {
  unsigned count = 0;
  return EVP_DigestInit_ex2(context->digest, context->sha256, NULL) == 1 &&
         EVP_DigestUpdate(context->digest, message, length) == 1 &&
         EVP_DigestFinal_ex(context->digest, digest, &count) == 1;
}

static int mac(raw_context *context, const uint8_t *message, size_t length, uint8_t *tag, size_t *tag_length) {
  return EVP_MAC_init(context->mac, NULL, 0, NULL) == 1 && EVP_MAC_update(context->mac, message, length) == 1 &&
         EVP_MAC_final(context->mac, tag, tag_length, *tag_length) == 1;
}

static int verify_once(raw_context *context, const uint8_t *message, size_t message_length, const uint8_t *signature,
                       size_t signature_length) {
  uint8_t digest[32];
  size_t length = sizeof digest;
  switch (context->kind) {
    case RAW_HS256:
      return mac(context, message, message_length, digest, &length) && signature_length == length &&
             CRYPTO_memcmp(digest, signature, length) == 0;
    case RAW_ED25519:
      return EVP_DigestVerifyInit_ex(context->digest, NULL, NULL, NULL, NULL, context->pair, NULL) == 1 &&
             EVP_DigestVerify(context->digest, signature, signature_length, message, message_length) == 1;
    default:
      return hash(context, message, message_length, digest) &&
             EVP_PKEY_verify(context->verify, signature, signature_length, digest, length) == 1;
  }
}

static int sign_once(raw_context *context, const uint8_t *message, size_t message_length, uint8_t *signature,
                     size_t *signature_length) {
  uint8_t digest[32];
  switch (context->kind) {
    case RAW_HS256: return mac(context, message, message_length, signature, signature_length);
    case RAW_ED25519:
      return EVP_DigestSignInit_ex(context->digest, NULL, NULL, NULL, NULL, context->pair, NULL) == 1 &&
             EVP_DigestSign(context->digest, signature, signature_length, message, message_length) == 1;
    default:
      return hash(context, message, message_length, digest) &&
             EVP_PKEY_sign(context->sign, signature, signature_length, digest, sizeof digest) == 1;
  }
}

long raw_verify(raw_context *context, const uint8_t *message, size_t message_length, const uint8_t *signature,
                size_t signature_length, long count) {
  long valid = 0;
  for (long number = 0; number < count; number++) {
    valid += verify_once(context, message, message_length, signature, signature_length);
  }
  return valid;
}

long raw_sign(raw_context *context, const uint8_t *message, size_t message_length, uint8_t *signature,
              size_t *signature_length, long count) {
  long signed_well = 0;
  size_t room = *signature_length;
  for (long number = 0; number < count; number++) {
    *signature_length = room;
    signed_well += sign_once(context, message, message_length, signature, signature_length);
  }
  return signed_well;
}

long raw_scrypt(uint64_t n, uint64_t r, uint64_t p, long count) {
  long hashed = 0;
  uint8_t key[32];
  const uint8_t salt[16] = "sixteen bytes...";
  for (long number = 0; number < count; number++) {
    hashed += EVP_PBE_scrypt("correct horse", 13, salt, sizeof salt, n, r, p, (uint64_t)1 << 30, key, sizeof key) == 1;
  }
  return hashed;
}
