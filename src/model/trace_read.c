/*
 * A line of a trace, which the shim has written, back from JSON. The text may come from anywhere.
 */
#include <nvpulse/trace.h>

#include "base/answer.h"
#include "base/compiler.h"
#include "base/out.h"
#include "model/form_read.h"

#define TIME_MAX_US INT64_C(253402300799999999)

static bool take_function(struct nvp__json *json, unsigned int at, void *into)
{
    char *name = into;
    if (nvp__json_is_text(json, at)) {
        nvp__json_word(json, at, name, sizeof(((nvp_trace_call *)NULL)->function));
    }
    return name[0] != '\0' ? true : nvp__json_fail(json, at, "the name of a function is expected");
}

static bool take_result(struct nvp__json *json, unsigned int at, void *into)
{
    uint64_t code;
    if (!nvp__json_uint64(json, at, &code)) {
        return false;
    }
    *(nvp_status *)into = code <= UINT32_MAX ? nvp__status_of_answer((unsigned int)code) : nvp__status_of_answer(UINT32_MAX);
    return true;
}

/* A time of day that a calendar can tell. */
static bool take_time(struct nvp__json *json, unsigned int at, void *into)
{
    int64_t *time_us = into;
    if (!nvp__json_int64(json, at, time_us)) {
        return false;
    }
    return *time_us >= 0 && *time_us <= TIME_MAX_US ? true
                                                    : nvp__json_fail(json, at, "time_us: not a time before the year 10000");
}

/* A number that is known not to be negative, and fits where negative ones do. */
static bool take_amount(struct nvp__json *json, unsigned int at, void *into)
{
    int64_t amount;
    if (!nvp__json_int64(json, at, &amount)) {
        return false;
    }
    *(uint64_t *)into = (uint64_t)amount;
    return amount >= 0 ? true : nvp__json_fail(json, at, "a number that is not negative is expected");
}

nvp_status nvp_trace_call_from_json(const char *line, size_t length, nvp_trace_call *call, char *message, size_t size)
{
    static const struct nvp__json_member members[] = {
        { "function", take_function, offsetof(nvp_trace_call, function) },
        { "result", take_result, offsetof(nvp_trace_call, result) },
        { "time_us", take_time, offsetof(nvp_trace_call, time_us) },
        { "duration_ns", take_amount, offsetof(nvp_trace_call, duration_ns) },
        { "pid", take_amount, offsetof(nvp_trace_call, pid) },
        { "tid", take_amount, offsetof(nvp_trace_call, tid) },
    };
    struct nvp__json json;
    nvp_trace_call read = NVP_TRACE_CALL_INIT;
    nvp__out_over(message, message != NULL ? size : 0);
    if (line == NULL || call == NULL || call->struct_size != sizeof(*call)) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    bool done = nvp__json_open(&json, line, length, message, message != NULL ? size : 0) &&
                nvp__json_members(&json, 0, members, NVP__COUNT_OF(members), &read);
    nvp__json_close(&json);
    if (done) {
        *call = read;
    }
    return done ? NVP_SUCCESS : json.status;
}
