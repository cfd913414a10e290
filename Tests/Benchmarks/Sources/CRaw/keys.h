#ifndef CRAW_KEYS_H
#define CRAW_KEYS_H

#include <openssl/evp.h>

#include "CRaw.h"

struct raw_key {
  raw_kind kind;
  EVP_PKEY *pair;
  uint8_t secret[32];
};

#endif
