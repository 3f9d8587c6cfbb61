/*
 * cmocka with what it needs included before it, and a few checks of our own.
 */
#ifndef NVP_TESTS_SUPPORT_CHECK_H
#define NVP_TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_status(answer, expected) assert_string_equal(nvp_status_name(answer), nvp_status_name(expected))
#define assert_reason(value, expected) assert_string_equal(nvp_reason_word((value).reason), nvp_reason_word(expected))
/** Formats a value and compares. */
#define assert_format(value, expected)                                                                                           \
    do {                                                                                                                         \
        char text_[1024];                                                                                                        \
        nvp_value_format((value), text_, sizeof(text_));                                                                         \
        assert_string_equal(text_, expected);                                                                                    \
    } while (0)
#define assert_json(value, expected)                                                                                             \
    do {                                                                                                                         \
        char text_[1024];                                                                                                        \
        nvp_value_json((value), text_, sizeof(text_));                                                                           \
        assert_string_equal(text_, expected);                                                                                    \
    } while (0)

#endif
