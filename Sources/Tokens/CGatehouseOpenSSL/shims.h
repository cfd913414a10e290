#ifndef CGATEHOUSE_OPENSSL_SHIMS_H
#define CGATEHOUSE_OPENSSL_SHIMS_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/* EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR are sums of macros, which Swift does not import. */
static const int CGATEHOUSE_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;
static const int CGATEHOUSE_KEYPAIR = EVP_PKEY_KEYPAIR;

/* Also a sum of macros. Names are in ASCII, with unprintable characters escaped. */
static const unsigned long CGATEHOUSE_NAME_FOR_PEOPLE = XN_FLAG_RFC2253;

#endif
