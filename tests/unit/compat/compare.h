/*
 * What a function answers through compat against what the same function answers when nothing is hidden: the library in use is
 * tests/support/masked_driver.c, which still finds what it hides.
 */
#ifndef NVP_TESTS_UNIT_COMPAT_COMPARE_H
#define NVP_TESTS_UNIT_COMPAT_COMPARE_H

#include "check.h"

#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvpulse/nvpulse.h>

#include <stdbool.h>
#include <string.h>

typedef void any_fn(void);

/** A function of the whole driver, hidden or not; NULL when it has none of that name. */
any_fn *whole_function(const char *name);

/** The same with its type. */
#define WHOLE(name) ((__typeof__(&nvp_##name))whole_function(#name))

/** Device `index` of the driver. */
nvmlDevice_t device_at(unsigned int index);

/** GPU instance `id` (1 or 2) of the driver for families. */
nvmlGpuInstance_t instance_of(unsigned int id);

/** True when `function` is served by `other`. */
bool is_served_by(const char *function, const char *other);

/** Makes every call of the driver answer `answer`; NVML_SUCCESS: none. */
void fail_all_calls(nvmlReturn_t answer);

/** Every field of two structs of a type of structs.def is alike; padding is not looked at. */
void assert_same_fields(const char *type, const void *answer, const void *expected);

/**
 * Every field of `answer` that a struct of another type has, too, is alike; of the others those that `made` names (" name name ")
 * may be anything, and all else is marked as not available.
 */
void assert_agreeing_fields(const char *type, const void *answer, const char *other_type, const void *other, const char *made);

/** Sets a field of a struct to all ones. */
void set_unknown(const char *type, void *object, const char *field);

/** A check of one function that is hidden. */
struct check {
    const char *function;
    void (*run)(void **state);
};

/** Ended by a row without a function. */
extern const struct check control_checks[];
extern const struct check identity_checks[];
extern const struct check process_checks[];
extern const struct check mig_checks[];
extern const struct check name_checks[];
extern const struct check utilization_checks[];
extern const struct check vgpu_checks[];

/* Objects that a callee must not write past. */
#define FILL 0x5a
#define ROOMY(type)                                                                                                              \
    struct {                                                                                                                     \
        type value;                                                                                                              \
        unsigned char beyond[64];                                                                                                \
    }
#define ASSERT_UNTOUCHED(bytes, size)                                                                                            \
    do {                                                                                                                         \
        for (size_t at_ = 0; at_ < (size); at_++) {                                                                              \
            assert_int_equal(((const unsigned char *)(bytes))[at_], FILL);                                                       \
        }                                                                                                                        \
    } while (0)

/**
 * Compares a call that fills one struct of `type`: on success, without the struct, and when the driver fails. `call` is a macro that
 * makes the call: call(function, object). `before` and `lost` are statements about the pointer `object`: what the caller puts in,
 * and what the answer lacks.
 */
#define CHECK_STRUCT(function, type, call, before, lost)                                                                         \
    do {                                                                                                                         \
        __typeof__(&nvp_##function) whole_ = (__typeof__(&nvp_##function))whole_function(#function);                             \
        ROOMY(type) answer_, expected_;                                                                                          \
        type kept_;                                                                                                              \
        memset(&answer_, FILL, sizeof(answer_));                                                                                 \
        type *object = &answer_.value;                                                                                           \
        before;                                                                                                                  \
        memcpy(&kept_, object, sizeof(kept_));                                                                                   \
        memcpy(&expected_, &answer_, sizeof(answer_));                                                                           \
        assert_int_equal(call(nvp_##function, (void *)object), NVML_SUCCESS);                                                    \
        object = &expected_.value;                                                                                               \
        assert_int_equal(call(whole_, (void *)object), NVML_SUCCESS);                                                            \
        lost;                                                                                                                    \
        assert_same_fields(#type, &answer_.value, object);                                                                       \
        ASSERT_UNTOUCHED(answer_.beyond, sizeof(answer_.beyond));                                                                \
        assert_int_equal(call(nvp_##function, NULL), NVML_ERROR_INVALID_ARGUMENT);                                               \
        memcpy(&answer_.value, &kept_, sizeof(kept_));                                                                           \
        fail_all_calls(NVML_ERROR_NO_PERMISSION);                                                                                \
        assert_int_equal(call(nvp_##function, (void *)&answer_.value), NVML_ERROR_NO_PERMISSION);                                \
        fail_all_calls(NVML_SUCCESS);                                                                                            \
        assert_memory_equal(&answer_.value, &kept_, sizeof(kept_));                                                              \
    } while (0)

/** A version word that the call does not know is refused, and nothing is written. */
#define CHECK_WORD(function, type, call)                                                                                         \
    do {                                                                                                                         \
        type odd_, same_;                                                                                                        \
        memset(&odd_, FILL, sizeof(odd_));                                                                                       \
        memcpy(&same_, &odd_, sizeof(odd_));                                                                                     \
        assert_int_equal(call(nvp_##function, (void *)&odd_), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);                             \
        assert_memory_equal(&odd_, &same_, sizeof(odd_));                                                                        \
    } while (0)

/** The usual call. */
#define OF_DEVICE(function, object) function(device_at(0), object)

/** A call with one number as its result: the same number, and a pointer is needed. */
#define CHECK_NUMBER(function, type, call)                                                                                       \
    do {                                                                                                                         \
        __typeof__(&nvp_##function) whole_ = (__typeof__(&nvp_##function))whole_function(#function);                             \
        type answer_ = (type)0;                                                                                                  \
        type expected_ = (type)(uintptr_t)1;                                                                                     \
        assert_int_equal(call(nvp_##function, &answer_), NVML_SUCCESS);                                                          \
        assert_int_equal(call(whole_, &expected_), NVML_SUCCESS);                                                                \
        assert_true(answer_ == expected_);                                                                                       \
        assert_int_equal(call(nvp_##function, NULL), NVML_ERROR_INVALID_ARGUMENT);                                               \
    } while (0)

#endif
