/*
 * The general answer of every function: arguments checked, then "not supported", as on hardware without the feature.
 * Weak: a file that defines the same name answers instead.
 */
#include "driver/serve.h"

#include "driver/required.h"

/* A general answer looks at its arguments only to see which are NULL. */
#define IS_NULL(value) (__builtin_classify_type(value) == 5 && (uintptr_t)(value) == 0)
#define MASK_0() 0u
#define MASK_1(a) (IS_NULL(a) ? 1u : 0u)
#define MASK_2(a, ...) (MASK_1(a) | MASK_1(__VA_ARGS__) << 1)
#define MASK_3(a, ...) (MASK_1(a) | MASK_2(__VA_ARGS__) << 1)
#define MASK_4(a, ...) (MASK_1(a) | MASK_3(__VA_ARGS__) << 1)
#define MASK_5(a, ...) (MASK_1(a) | MASK_4(__VA_ARGS__) << 1)
#define MASK_6(a, ...) (MASK_1(a) | MASK_5(__VA_ARGS__) << 1)
#define MASK_7(a, ...) (MASK_1(a) | MASK_6(__VA_ARGS__) << 1)
#define MASK_8(a, ...) (MASK_1(a) | MASK_7(__VA_ARGS__) << 1)
#define PICK(_0, _1, _2, _3, _4, _5, _6, _7, _8, name, ...) name
#define MASK_OF(...)                                                                                                             \
    PICK(0 __VA_OPT__(, ) __VA_ARGS__, MASK_8, MASK_7, MASK_6, MASK_5, MASK_4, MASK_3, MASK_2, MASK_1, MASK_0, 0)(__VA_ARGS__)

#define FIRST(first, ...) first
#define IS_DEVICE(first) _Generic((first), nvmlDevice_t : 1, default : 0)
#define OF_DEVICE(...) IS_DEVICE(FIRST(__VA_ARGS__ __VA_OPT__(, ) 0, 0))

#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    __attribute__((weak)) nvmlReturn_t nvpsim__serve_##name parameters                                                           \
    {                                                                                                                            \
        return nvpsim__required_answer(NVPSIM_FN_##name, MASK_OF arguments, OF_DEVICE arguments);                                \
    }
#include "abi/functions.def"
