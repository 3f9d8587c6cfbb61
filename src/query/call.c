/*
 * From words to a C call: one small function for each sequence of parameter classes in shapes.def.
 */
#include "query/call.h"

#include "base/answer.h"
#include "driver/library.h"
#include "lifecycle/guarded.h"
#include "lifecycle/lifecycle.h"
#include "query/devices.h"
#include "query/facade.h"

#include <string.h>

/* How long a wait for an event stays inside the driver at a time. */
#define SLICE_MS 100u

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

nvmlReturn_t nvp__call_as(const struct nvp__function *function, nvp__any_function address, const uint64_t *words)
{
    return callers[function->signature](address, words);
}

static nvmlReturn_t call_address(const struct nvp__function *function, const uint64_t *words)
{
    int index = nvp__function_index(function);
    nvp__any_function address = atomic_load_explicit(&nvp__dispatch[index], memory_order_relaxed);
    return address != NULL ? callers[function->signature](address, words) : NVML_ERROR_FUNCTION_NOT_FOUND;
}

static bool is_device(const struct nvp__param *param)
{
    return param->kind == NVP_TYPE_HANDLE && param->type == NVP_HANDLE_nvmlDevice_t;
}

/* Items of an answered list: what the linked count says. */
static size_t answered_count(const struct nvp__param *params, size_t position, const uint64_t *words)
{
    unsigned int count = 0;
    if (params[position].role == NVP_ROLE_OUT) {
        return 1;
    }
    memcpy(&count, (const void *)(uintptr_t)words[params[position].link], sizeof(count));
    return count;
}

/* The handles that a successful call has answered through parameter `position`, given to `note` one by one and written back. */
static void see_handles(const struct nvp__param *params, size_t position, const uint64_t *words)
{
    void **handles = (void **)(uintptr_t)words[position];
    size_t count = handles != NULL ? answered_count(params, position, words) : 0;
    for (size_t i = 0; i < count; i++) {
        if (is_device(&params[position])) {
            handles[i] = nvp__devices_visible(handles[i]);
        } else {
            nvp__handles_note(handles[i]);
        }
    }
}

/* Device handles inside an answered struct, such as that of an event. */
static void see_struct(const struct nvp__param *param, uint64_t word)
{
    size_t count;
    const struct nvp__field *fields = nvp__struct_fields(nvp__struct_row(param->type), &count);
    unsigned char *bytes = (unsigned char *)(uintptr_t)word;
    for (size_t i = 0; i < count && bytes != NULL; i++) {
        if (fields[i].kind == NVP_TYPE_HANDLE && fields[i].type == NVP_HANDLE_nvmlDevice_t) {
            nvmlDevice_t device;
            memcpy(&device, bytes + fields[i].offset, sizeof(device));
            device = device != NULL ? nvp__devices_visible(device) : NULL;
            memcpy(bytes + fields[i].offset, &device, sizeof(device));
        }
    }
}

void nvp__call_note_devices(const struct nvp__function *function, const uint64_t *words)
{
    const struct nvp__param *params = nvp__function_params(function);
    for (size_t i = 0; i < function->public.parameter_count; i++) {
        bool answered = params[i].role == NVP_ROLE_OUT || params[i].role == NVP_ROLE_ITEMS;
        if (answered && is_device(&params[i])) {
            see_handles(params, i, words);
        }
    }
}

/* The handles that the program passes, as this session knows them. */
static nvmlReturn_t translate(const struct nvp__function *function, uint64_t *words)
{
    const struct nvp__param *params = nvp__function_params(function);
    nvmlReturn_t status = NVML_SUCCESS;
    for (size_t i = 0; i < function->public.parameter_count && status == NVML_SUCCESS; i++) {
        void *handle = (void *)(uintptr_t)words[i];
        if (params[i].kind != NVP_TYPE_HANDLE || params[i].role != NVP_ROLE_IN || handle == NULL) {
            continue;
        }
        if (is_device(&params[i])) {
            nvmlDevice_t raw;
            status = nvp__devices_current(handle, &raw);
            words[i] = (uint64_t)(uintptr_t)raw;
        } else if (!nvp__handles_known(handle)) {
            status = NVML_ERROR_INVALID_ARGUMENT; /* of a session that is over */
        }
    }
    return status;
}

static void see_answers(const struct nvp__function *function, const uint64_t *words)
{
    const struct nvp__param *params = nvp__function_params(function);
    for (size_t i = 0; i < function->public.parameter_count; i++) {
        bool answered = params[i].role == NVP_ROLE_OUT || params[i].role == NVP_ROLE_ITEMS;
        if (answered && params[i].kind == NVP_TYPE_HANDLE) {
            see_handles(params, i, words);
        } else if (params[i].role == NVP_ROLE_OUT && params[i].kind == NVP_TYPE_STRUCT) {
            see_struct(&params[i], words[i]);
        }
    }
}

static nvmlReturn_t call_first_session(const struct nvp__function *function, const uint64_t *words)
{
    nvmlReturn_t status = call_address(function, words);
    if (status == NVML_SUCCESS && (function->flags & NVP_FN_DEVICES) != 0) {
        nvp__call_note_devices(function, words);
    }
    return status;
}

static nvmlReturn_t call_later_session(const struct nvp__function *function, const uint64_t *words)
{
    uint64_t own[NVP__PARAMS_MAX];
    if (atomic_load_explicit(&nvp__dispatch[nvp__function_index(function)], memory_order_relaxed) == NULL) {
        return NVML_ERROR_FUNCTION_NOT_FOUND; /* for which no handle has to be asked for */
    }
    memcpy(own, words, function->public.parameter_count * sizeof(own[0]));
    nvmlReturn_t status = translate(function, own);
    status = status == NVML_SUCCESS ? call_address(function, own) : status;
    if (status == NVML_SUCCESS) {
        see_answers(function, own);
    }
    return status;
}

/* Inside the guard: the call itself, with the handles of the program turned into those of this session and back. */
static nvmlReturn_t call_attentively(const struct nvp__function *function, const uint64_t *words)
{
    unsigned int word = atomic_load_explicit(&nvp__gate.word, memory_order_relaxed);
    bool later = (word & NVP__GATE_HANDLES) != 0;
    nvmlReturn_t status = later ? call_later_session(function, words) : call_first_session(function, words);
    if (status == NVML_SUCCESS && (word & NVP__GATE_SUCCESS) != 0) {
        nvp__gate_change(NVP__GATE_SUCCESS, 0);
    }
    return status;
}

static nvp_status call_once(const struct nvp__function *function, const uint64_t *words)
{
    nvp_status status;
    NVP__GUARDED(status = nvp__status_of_answer(call_attentively(function, words)), status = nvp__refusal);
    return status;
}

static nvp_status call_twice_at_most(const struct nvp__function *function, const uint64_t *words)
{
    nvp_status status = call_once(function, words);
    return status > 0 && nvp__lifecycle_suspect(status) ? call_once(function, words) : status;
}

/*
 * A long wait is cut into slices, outside the driver between one and the next: the end of the process, a fork and a re-open do not
 * have to wait for an event that may never come.
 */
static nvp_status wait_in_slices(const struct nvp__function *function, const uint64_t *words)
{
    uint64_t slice[] = { words[0], words[1], 0 };
    nvp_status status = NVML_ERROR_TIMEOUT;
    for (uint64_t left_ms = (unsigned int)words[2]; status == NVML_ERROR_TIMEOUT && left_ms > 0; left_ms -= slice[2]) {
        slice[2] = left_ms < SLICE_MS ? left_ms : SLICE_MS;
        status = call_twice_at_most(function, slice);
    }
    return status;
}

nvp_status nvp__call(const struct nvp__function *function, const uint64_t *words)
{
    bool is_wait = nvp__is_wait(nvp__function_index(function));
    return is_wait && (unsigned int)words[2] > SLICE_MS ? wait_in_slices(function, words) : call_twice_at_most(function, words);
}

nvmlReturn_t nvp__call_failed(const struct nvp__function *function, const uint64_t *words, nvmlReturn_t answer)
{
    nvp_status status = nvp__status_of_answer(answer);
    return nvp__as_nvml(nvp__lifecycle_suspect(status) ? call_once(function, words) : status);
}

nvmlReturn_t nvp__call_apart(const struct nvp__function *function, const uint64_t *words)
{
    int index = nvp__function_index(function);
    nvp_status status = nvp__call(function, words);
    bool is_missing = atomic_load_explicit(&nvp__dispatch[index], memory_order_relaxed) == NULL;
    return status == NVML_ERROR_FUNCTION_NOT_FOUND && is_missing ? nvp__missing(index) : nvp__as_nvml(status);
}
