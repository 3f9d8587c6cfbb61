/*
 * Texts of nvmlReturn_t. A driver knows the codes that existed when it was made; for all others it says "Unknown Error".
 */
#include "driver/error.h"

#include "driver/generation.h"

static const char unknown[] = "Unknown Error";

const char *nvpsim__error_text(int code)
{
    if (!nvpsim__driver_knows_error(code)) {
        return unknown;
    }
    switch (code) {
#define NVP_ERROR(name, value, text, meaning, advice)                                                                            \
    case value:                                                                                                                  \
        return text;
#include "abi/errors.def"
    default:
        return unknown;
    }
}
