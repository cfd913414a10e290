#ifndef CGATEHOUSE_QR_CODE_SHIMS_H
#define CGATEHOUSE_QR_CODE_SHIMS_H

#include <qrencode.h>

#endif
