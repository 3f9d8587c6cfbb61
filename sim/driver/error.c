/*
 * Texts of nvmlReturn_t. A driver knows the codes that existed when it was made; for all others it says "Unknown Error".
 */
#include "driver/error.h"

#include <stddef.h>

#include "driver/generation.h"

static const struct {
    int code;
    unsigned first_major; /* of the driver that first has a text */
} later_codes[] = { { 17, 390 }, { 18, 390 }, { 19, 418 }, { 20, 390 }, { 21, 525 }, { 22, 525 }, { 23, 450 },
                    { 24, 470 }, { 25, 525 }, { 26, 525 }, { 27, 535 }, { 28, 550 }, { 29, 550 }, { 30, 580 } };

static const char unknown[] = "Unknown Error";

const char *nvpsim__error_text(int code)
{
    for (size_t i = 0; i < sizeof later_codes / sizeof later_codes[0]; i++) {
        if (later_codes[i].code == code && nvpsim__generation.major < later_codes[i].first_major)
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
