/*
 * Numbers written by hand: what snprintf() takes for a bus id is more than the driver call that gave it.
 */
#ifndef NVP_COMPAT_DIGITS_H
#define NVP_COMPAT_DIGITS_H

#include "base/compiler.h"

#include <string.h>

typedef const char nvp__digits[2 * 256 + 1]; /* two for each byte */

#define NVP__PAIRS(high, a, b, c, d, e, f)                                                                                       \
    high "0" high "1" high "2" high "3" high "4" high "5" high "6" high "7" high "8" high                                        \
         "9" high a high b high c high d high e high f
#define NVP__DIGITS(a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS("0", a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS("1", a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS("2", a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS("3", a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS("4", a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS("5", a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS("6", a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS("7", a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS("8", a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS("9", a, b, c, d, e, f)                                                                                            \
    NVP__PAIRS(a, a, b, c, d, e, f)                                                                                              \
    NVP__PAIRS(b, a, b, c, d, e, f)                                                                                              \
    NVP__PAIRS(c, a, b, c, d, e, f)                                                                                              \
    NVP__PAIRS(d, a, b, c, d, e, f)                                                                                              \
    NVP__PAIRS(e, a, b, c, d, e, f)                                                                                              \
    NVP__PAIRS(f, a, b, c, d, e, f)

/** Writes the lowest byte of `number` as two digits of one of the two sets; returns what is behind them. */
static NVP__INLINE char *nvp__put_byte(char *at, unsigned int number, nvp__digits digits)
{
    memcpy(at, &digits[2 * (number & 0xff)], 2);
    return at + 2;
}

static nvp__digits nvp__upper_digits __attribute__((unused)) = NVP__DIGITS("A", "B", "C", "D", "E", "F");
static nvp__digits nvp__lower_digits __attribute__((unused)) = NVP__DIGITS("a", "b", "c", "d", "e", "f");

#endif
