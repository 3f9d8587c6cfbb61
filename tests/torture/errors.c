/*
 * Every function of a driver against every error: those that the driver has, those that another one serves, those that are missing;
 * under NVML's own name and by name. The answer is that error and nothing else, what a call writes to is left alone, and an answer
 * that says that the session has died leads to as many re-opens as the back-off allows.
 */
#include "calls.h"
#include "cases.h"

#include <string.h>

#define FOREIGN_CODE 12345 /* of a driver that is newer than nvpulse */
#define NEGATIVE_CODE (-3) /* no nvmlReturn_t at all; nvpulse has a status of its own by that number */

static const int codes[] = {
#define NVP_ERROR(name, value, text, meaning, advice) value,
#include "abi/errors.def"
    FOREIGN_CODE,
    NEGATIVE_CODE,
};
#define SESSION_FUNCTIONS 5 /* init, shutdown and the text of an error: they have a case of their own, or no error */
#define CODES (sizeof(codes) / sizeof(codes[0]))

#if defined(__SANITIZE_THREAD__)
#define LISTS_GROW false
#else
#define LISTS_GROW true
#endif

static struct call call;

/* What a driver's number is among statuses. */
static nvp_status status_of(int code)
{
    return code >= 0 ? code : (nvp_status)NVML_ERROR_UNKNOWN;
}

static bool says_that_the_session_died(int code)
{
    switch (status_of(code)) {
    case NVML_ERROR_UNINITIALIZED:
    case NVML_ERROR_DRIVER_NOT_LOADED:
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH:
    case NVML_ERROR_GPU_IS_LOST:
    case NVML_ERROR_UNKNOWN:
        return true;
    default:
        return false;
    }
}

/* The function of the driver that is called for one: itself, the one that serves it, or NULL when there is none. */
static const char *target_of(const nvp_function *function)
{
    const nvp_fallback *fallback = nvp_function_fallback(function);
    if (nvp_function_available(function)) {
        return function->name;
    }
    return fallback != NULL ? fallback->served_by : NULL;
}

static bool is_tried(const struct nvp__function *row)
{
    return (row->flags & NVP_FN_SESSION) == 0 && strcmp(row->public.name, "nvmlErrorString") != 0;
}

static void inject(const char *target, int code, uint64_t times)
{
    nvpsim_fault fault = { .struct_size = sizeof(fault), .function = target, .device = -1, .error = code, .times = times };
    control_add_fault(&fault);
    if (strcmp(target, "nvmlVgpuInstanceGetGpuInstanceId") == 0) { /* its adapter asks for the owner first */
        fault.function = "nvmlGpuInstanceGetInfo";
        control_add_fault(&fault);
    }
}

#define CHECK_OF(row, code, condition)                                                                                           \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "%s:%d: %s with code %d: not true: %s\n", __FILE__, __LINE__, (row)->public.name, code, #condition); \
            _exit(1);                                                                                                            \
        }                                                                                                                        \
    } while (0)

static void fails_by_name(const struct nvp__function *row, int code, nvp_status expected)
{
    nvp_arg arguments[NVP__PARAMS_MAX];
    size_t count = call_arguments(&call, arguments);
    nvp_query_options keep = { sizeof(keep), NVP_QUERY_KEEP_ERRORS | NVP_QUERY_SILENT, NULL };
    nvp_value value = NVP_VALUE_INIT;
    nvp_status answer = nvp_query(row->public.name, arguments, count, NULL, &value);
    if (!row->public.by_name) {
        CHECK_OF(row, code, answer == NVP_ERROR_NOT_BY_NAME);
        return;
    }
    CHECK_OF(row, code, answer == NVP_SUCCESS);
    CHECK_OF(row, code, value.kind == NVP_KIND_NA && value.status == expected);
    CHECK_OF(row, code, value.reason == nvp_status_reason(expected) && value.reason != NVP_REASON_NONE);
    CHECK_OF(row, code, nvp_query(row->public.name, arguments, count, &keep, &value) == expected);
    CHECK_OF(row, code, value.kind == NVP_KIND_NA && value.status == expected);
    CHECK_OF(row, code, call_left_all_alone(&call)); /* the arguments are in it */
    nvp_value_clear(&value);
}

static void fails_under_its_name(const struct nvp__function *row, nvmlDevice_t device, int code, nvmlReturn_t expected)
{
    call_prepare(&call, row, device);
    nvmlReturn_t answer = call_make(&call);
    CHECK_OF(row, code, answer == expected);
    CHECK_OF(row, code, call_left_all_alone(&call));
}

/* `grows`: also a list by name that grows until it must not grow any more, which takes its time. */
static void fails_on_every_route(const struct nvp__function *row, nvmlDevice_t device, const char *target, int code, bool grows)
{
    inject(target, code, 0);
    uint64_t before = control_calls(target);
    fails_under_its_name(row, device, code, (nvmlReturn_t)status_of(code));
    CHECK_OF(row, code, control_calls(target) > before || strcmp(row->public.name, "nvmlGpuInstanceGetActiveVgpus") == 0);
    if (code != NVML_ERROR_INSUFFICIENT_SIZE || grows) {
        fails_by_name(row, code, status_of(code));
    }
    control_clear_faults();
}

/* Nothing serves it: the driver is not called, whatever it would answer. */
static void is_missing_on_every_route(const struct nvp__function *row, nvmlDevice_t device)
{
    control_fail(NULL, FOREIGN_CODE);
    uint64_t before = control_calls(NULL);
    fails_under_its_name(row, device, FOREIGN_CODE, NVML_ERROR_FUNCTION_NOT_FOUND);
    fails_by_name(row, FOREIGN_CODE, NVML_ERROR_FUNCTION_NOT_FOUND);
    CHECK_OF(row, FOREIGN_CODE, control_calls(NULL) == before);
    control_clear_faults();
}

struct figures {
    unsigned int own, served, missing;
};

static struct figures try_all(nvmlDevice_t device, bool with_death)
{
    struct figures figures = { 0, 0, 0 };
    for (size_t i = 0; i < NVP_FN_COUNT; i++) {
        const struct nvp__function *row = &nvp__functions[i];
        const char *target = target_of(&row->public);
        if (!is_tried(row)) {
            continue;
        }
        if (target == NULL) {
            is_missing_on_every_route(row, device);
            figures.missing++;
            continue;
        }
        for (size_t j = 0; j < CODES; j++) {
            if (codes[j] != NVML_SUCCESS && (with_death || !says_that_the_session_died(codes[j]))) {
                fails_on_every_route(row, device, target, codes[j], with_death && LISTS_GROW);
            }
        }
        figures.own += strcmp(target, row->public.name) == 0;
        figures.served += strcmp(target, row->public.name) != 0;
    }
    return figures;
}

/* With a back-off of an hour one re-open is allowed, so what holds before it and what holds after it are both seen. */
static void every_error_of_every_function(void)
{
    setenv("NVPULSE_RETRY_MS", "3600000", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    nvmlDevice_t device = first_device();
    struct figures figures = try_all(device, false);
    CHECK(nvp_generation() == 1);
    try_all(device, true);
    CHECK(nvp_generation() == 2);
    CHECK(nvp_get_state() == NVP_STATE_OPEN && nvp_init_count() == 1);
    query_ok(device);
    CHECK(figures.own > 100);
    CHECK(figures.own + figures.served + figures.missing == NVP_FN_COUNT - SESSION_FUNCTIONS);
    printf("%u functions of the driver, %u served by another one, %u missing; %zu codes\n", figures.own, figures.served,
           figures.missing, CODES - 1);
}

/* As often as the driver says that the session has died, NVML is opened again, and the call is made once more. */
static void survives(const struct nvp__function *row, nvmlDevice_t device, const char *target, int code)
{
    nvp_arg arguments[NVP__PARAMS_MAX];
    nvp_value value = NVP_VALUE_INIT;
    call_prepare(&call, row, device);
    size_t count = call_arguments(&call, arguments);
    nvmlReturn_t expected = call_make(&call);
    uint64_t generation = nvp_generation();
    inject(target, code, 1);
    call_prepare(&call, row, device);
    CHECK_OF(row, code, call_make(&call) == expected);
    CHECK_OF(row, code, nvp_generation() == generation + 1);
    control_clear_faults();
    inject(target, code, 1);
    nvp_query(row->public.name, arguments, count, NULL, &value);
    CHECK_OF(row, code, !row->public.by_name || value.status != status_of(code) || (int)expected == code);
    CHECK_OF(row, code, nvp_generation() == generation + 1 + row->public.by_name);
    nvp_value_clear(&value);
    control_clear_faults();
    CHECK_OF(row, code, nvp_get_state() == NVP_STATE_OPEN && nvp_init_count() == 1);
}

static void every_death_is_survived(void)
{
    setenv("NVPULSE_RETRY_MS", "0", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    nvmlDevice_t device = first_device();
    for (size_t i = 0; i < NVP_FN_COUNT; i++) {
        const struct nvp__function *row = &nvp__functions[i];
        const char *target = is_tried(row) ? target_of(&row->public) : NULL;
        for (size_t j = 0; target != NULL && j < CODES; j++) {
            if (says_that_the_session_died(codes[j])) {
                survives(row, device, target, codes[j]);
            }
        }
    }
    query_ok(device);
    CHECK(nvp_generation() > 1000);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
}

static void fails_to_open(const char *init, int code)
{
    nvmlDevice_t device = NULL;
    control_fail(init, code);
    CHECK_STATUS(nvp_init(), status_of(code));
    CHECK(nvp_init_count() == 0 && nvp_get_state() == NVP_STATE_COLD);
    CHECK(nvmlInit() == (nvmlReturn_t)status_of(code));
    CHECK(nvmlDeviceGetHandleByIndex(0, &device) == (nvmlReturn_t)status_of(code) && device == NULL);
    control_clear_faults();
}

static void fails_to_close(int code)
{
    control_fail("nvmlShutdown", code);
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    query_ok(first_device());
    CHECK_STATUS(nvp_shutdown(), status_of(code));
    CHECK(nvp_init_count() == 0 && nvp_get_state() == NVP_STATE_COLD);
    control_clear_faults();
}

static void every_error_of_init_and_shutdown(void)
{
    static const char *const names[] = { "nvmlInitWithFlags", "nvmlInit_v2", "nvmlInit" };
    setenv("NVPULSE_RETRY_MS", "0", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    CHECK_STATUS(nvp_driver_find(), NVP_SUCCESS);
    for (size_t i = 0; i < CODES; i++) {
        for (size_t j = 0; codes[i] != NVML_SUCCESS && j < 3; j++) {
            if (nvp_function_available(nvp_function_find(names[j]))) {
                fails_to_open(names[j], codes[i]);
                break; /* the others are not called */
            }
        }
        if (codes[i] != NVML_SUCCESS) {
            fails_to_close(codes[i]);
        }
    }
    query_ok(first_device());
}

const struct test_case test_cases[] = {
    { "every_error_of_every_function", every_error_of_every_function },
    { "every_death_is_survived", every_death_is_survived },
    { "every_error_of_init_and_shutdown", every_error_of_init_and_shutdown },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
