#ifndef CGATEHOUSE_PASSWORDS_SHIMS_H
#define CGATEHOUSE_PASSWORDS_SHIMS_H

#include <argon2.h>
#include <crypt.h>

#endif
