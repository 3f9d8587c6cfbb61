/*
 * From words to a C call: one small function for each sequence of parameter classes in shapes.def.
 */
#include "query/call.h"

#include "driver/library.h"
#include "lifecycle/guarded.h"
#include "query/facade.h"

#include <limits.h>

typedef nvmlReturn_t caller_fn(nvp__any_function function, const uint64_t *words);

#define WORD(type, index) ((type)(uintptr_t)words[index])
#define WORDS_1(a) WORD(a, 0)
#define WORDS_2(a, b) WORD(a, 0), WORD(b, 1)
#define WORDS_3(a, b, c) WORD(a, 0), WORD(b, 1), WORD(c, 2)
#define WORDS_4(a, b, c, d) WORD(a, 0), WORD(b, 1), WORD(c, 2), WORD(d, 3)
#define WORDS_5(a, b, c, d, e) WORD(a, 0), WORD(b, 1), WORD(c, 2), WORD(d, 3), WORD(e, 4)
#define WORDS_6(a, b, c, d, e, f) WORD(a, 0), WORD(b, 1), WORD(c, 2), WORD(d, 3), WORD(e, 4), WORD(f, 5)
#define CALL_0(types) ((void)words, ((nvmlReturn_t(*)(void))function)())
#define CALL_N(count, types) ((nvmlReturn_t(*) types)function)(WORDS_##count types)
#define CALL_1(types) CALL_N(1, types)
#define CALL_2(types) CALL_N(2, types)
#define CALL_3(types) CALL_N(3, types)
#define CALL_4(types) CALL_N(4, types)
#define CALL_5(types) CALL_N(5, types)
#define CALL_6(types) CALL_N(6, types)

#define NVP_SHAPE(token, count, c_parameter_types)                                                                               \
    static nvmlReturn_t call_##token(nvp__any_function function, const uint64_t *words)                                          \
    {                                                                                                                            \
        return CALL_##count(c_parameter_types);                                                                                  \
    }
#include "abi/shapes.def"

static caller_fn *const callers[NVP__SIGNATURE_COUNT] = {
#define NVP_SHAPE(token, count, c_parameter_types) [NVP__SIGNATURE_##token] = call_##token,
#include "abi/shapes.def"
};

/* A driver's number that is no nvmlReturn_t must not look like one of nvpulse's own. */
static nvp_status from_nvml(nvmlReturn_t answer)
{
    return (unsigned int)answer <= (unsigned int)INT_MAX ? (nvp_status)answer : (nvp_status)NVML_ERROR_UNKNOWN;
}

nvp_status nvp__call(const struct nvp__function *function, const uint64_t *words)
{
    int index = nvp__function_index(function);
    nvp_status status;
    NVP__GUARDED(nvp__any_function address = atomic_load_explicit(&nvp__dispatch[index], memory_order_relaxed);
                 status = address != NULL ? from_nvml(callers[function->signature](address, words))
                                          : (nvp_status)NVML_ERROR_FUNCTION_NOT_FOUND,
                 status = nvp__refusal);
    return status;
}
