/*
 * The driver's own init and shutdown, by the best symbol that it exports.
 * The only calls into NVML that are made outside the in-flight guard: the state OPENING or CLOSING keeps all others out.
 */
#include "lifecycle/lifecycle.h"

#include "base/answer.h"
#include "base/log.h"
#include "driver/library.h"

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

typedef nvmlReturn_t plain_fn(void);
typedef nvmlReturn_t flags_fn(unsigned int);

static nvp__any_function function_at(enum nvp__function_index index)
{
    return atomic_load_explicit(&nvp__dispatch[index], memory_order_relaxed);
}

nvp_status nvp__session_begin(unsigned int flags)
{
    flags_fn *init_with_flags = (flags_fn *)function_at(NVP_FN_nvmlInitWithFlags);
    plain_fn *init = (plain_fn *)function_at(NVP_FN_nvmlInit_v2);
    nvmlReturn_t status;
    if (init_with_flags != NULL) {
        status = init_with_flags(flags);
    } else if (flags != 0) {
        status = NVML_ERROR_FUNCTION_NOT_FOUND;
    } else if (init != NULL) {
        status = init();
    } else {
        init = (plain_fn *)function_at(NVP_FN_nvmlInit);
        status = init != NULL ? init() : NVML_ERROR_FUNCTION_NOT_FOUND;
    }
    nvp_status answer = nvp__status_of_answer(status);
    nvp__log(NVP_LOG_DEBUG, "lifecycle", "driver init with flags %#x: %s", flags, nvp_status_text(answer));
    return answer;
}

nvp_status nvp__session_end(unsigned int inits)
{
    plain_fn *shut_down = (plain_fn *)function_at(NVP_FN_nvmlShutdown);
    nvp_status status = NVP_SUCCESS;
    for (unsigned int i = 0; i < inits && shut_down != NULL; i++) {
        nvp_status answer = nvp__status_of_answer(shut_down());
        status = status == NVP_SUCCESS ? answer : status;
    }
    nvp__log(NVP_LOG_DEBUG, "lifecycle", "driver shutdown: %s", nvp_status_text(status));
    return status;
}
