/*
 * Calls by name with a policy: errors become N/A with a reason, or stay errors, or become the caller's default.
 */
#include "base/answer.h"
#include "query/call.h"
#include "query/facade.h"
#include "query/frame.h"
#include "query/unknown.h"

#include <nvpulse/lifecycle.h>
#include <nvpulse/query.h>

#define ATTEMPTS_MAX 16 /* calls for one list that keeps growing */

nvp_arg nvp_arg_uint(uint64_t number)
{
    return (nvp_arg){ .kind = NVP_ARG_UINT, .number = number };
}

nvp_arg nvp_arg_int(int64_t number)
{
    return (nvp_arg){ .kind = NVP_ARG_INT, .number = (uint64_t)number };
}

nvp_arg nvp_arg_text(const char *text)
{
    return (nvp_arg){ .kind = NVP_ARG_TEXT, .pointer = text };
}

nvp_arg nvp_arg_handle(const void *handle)
{
    return (nvp_arg){ .kind = NVP_ARG_HANDLE, .pointer = handle };
}

nvp_arg nvp_arg_data(const void *data, size_t size)
{
    return (nvp_arg){ .kind = NVP_ARG_DATA, .pointer = data, .size = size };
}

nvp_arg nvp_arg_default(void)
{
    return (nvp_arg){ .kind = NVP_ARG_DEFAULT };
}

/* Init, shutdown and the error text never reach the driver as they come. */
static nvp_status call_own(const struct nvp__frame *frame, nvp_value *result)
{
    switch (nvp__function_index(frame->function)) {
    case NVP_FN_nvmlInit:
    case NVP_FN_nvmlInit_v2:
        return nvp_init();
    case NVP_FN_nvmlInitWithFlags:
        return nvp_init_with_flags((unsigned int)frame->words[0]);
    case NVP_FN_nvmlShutdown:
        return nvp_shutdown();
    default:
        return nvp_value_set_text(result, nvp_status_text(nvp__status_of_answer((unsigned int)frame->words[0])));
    }
}

static nvp_status call_driver(struct nvp__frame *frame)
{
    nvp_status status = NVML_ERROR_INSUFFICIENT_SIZE;
    for (int attempt = 0; attempt < ATTEMPTS_MAX && status == NVML_ERROR_INSUFFICIENT_SIZE; attempt++) {
        if (attempt > 0 && !nvp__frame_grow(frame)) {
            break;
        }
        nvp_status prepared = nvp__frame_prepare(frame);
        if (prepared != NVP_SUCCESS) {
            return prepared;
        }
        status = nvp__call(frame->function, frame->words);
    }
    return status;
}

static nvp_status call_and_take(struct nvp__frame *frame, nvp_value *result)
{
    bool own = (frame->function->flags & NVP_FN_SESSION) != 0 || nvp__function_index(frame->function) == NVP_FN_nvmlErrorString;
    if (own) {
        nvp_status status = nvp__frame_prepare(frame);
        status = status == NVP_SUCCESS ? call_own(frame, result) : status;
        if (status == NVP_SUCCESS && result->kind == NVP_KIND_NA) {
            result->kind = NVP_KIND_NOTHING;
        }
        return status;
    }
    nvp_status status = call_driver(frame);
    return status == NVP_SUCCESS ? nvp__frame_result(frame, result) : status;
}

static nvp_status apply_policy(nvp_status status, const nvp_query_options *options, nvp_value *result)
{
    nvp_value_set_na(result, status);
    if (options != NULL && (options->flags & NVP_QUERY_KEEP_ERRORS) != 0) {
        return status;
    }
    if (options != NULL && options->otherwise != NULL) {
        nvp_status copied = nvp_value_copy(result, options->otherwise);
        result->status = status;
        result->reason = nvp_status_reason(status);
        return copied;
    }
    return NVP_SUCCESS;
}

static nvp_status refuse(nvp_status status, nvp_value *result)
{
    nvp_value_set_na(result, status);
    return status;
}

static void note_missing(const char *name, const nvp_query_options *options)
{
    if (options == NULL || (options->flags & NVP_QUERY_SILENT) == 0) {
        nvp__unknown_note(name);
    }
}

nvp_status nvp_query(const char *function, const nvp_arg *args, size_t count, const nvp_query_options *options, nvp_value *result)
{
    if (result == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    nvp_value_clear(result);
    if (function == NULL || (options != NULL && options->struct_size != sizeof(*options))) {
        return refuse(NVP_ERROR_BAD_ARGUMENT, result);
    }
    const struct nvp__function *row = nvp__function_row(function);
    if (row == NULL) {
        note_missing(function, options);
        return refuse(NVP_ERROR_UNKNOWN_FUNCTION, result);
    }
    if (!row->public.by_name) {
        return refuse(NVP_ERROR_NOT_BY_NAME, result);
    }
    struct nvp__frame frame;
    nvp_status status = nvp__frame_begin(&frame, row, args, count);
    if (status != NVP_SUCCESS) {
        return refuse(status, result);
    }
    status = call_and_take(&frame, result);
    nvp__frame_end(&frame);
    if (status == NVML_ERROR_FUNCTION_NOT_FOUND) {
        note_missing(function, options);
    }
    /* a sentinel is an answer of the driver that the value already carries */
    if (status == NVP_SUCCESS && result->kind == NVP_KIND_NA) {
        status = result->status;
    }
    return status == NVP_SUCCESS ? NVP_SUCCESS : apply_policy(status, options, result);
}
