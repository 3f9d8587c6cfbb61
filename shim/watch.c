/*
 * The way of a call that is watched: its beginning is noted, it is made, in time where that is wanted, and its end is noted.
 */
#include "watch.h"

#include "deadline.h"
#include "trace.h"

void nvpshim__watch_begin(void)
{
    bool traced = nvpshim__trace_begin();
    bool limited = nvpshim__deadline_begin();
    if (traced || limited) {
        atomic_fetch_or(&nvpshim__word, NVPSHIM__WATCHED);
    }
}

static nvmlReturn_t make(const struct nvp__function *function, nvp__any_function call, enum nvpshim__manner manner,
                         const uint64_t *words)
{
    if (manner == NVPSHIM__USUAL && !nvpshim__is_initialised()) {
        return NVML_ERROR_UNINITIALIZED;
    }
    return manner != NVPSHIM__DIRECT && nvpshim__deadline_is_set() ? nvpshim__in_time(function, call, words)
                                                                   : nvp__call_as(function, call, words);
}

nvmlReturn_t nvpshim__watched(int function_index, nvp__any_function call, enum nvpshim__manner manner, const uint64_t *words)
{
    const struct nvp__function *function = &nvp__functions[function_index];
    struct nvpshim__line line;
    if (!nvpshim__trace_is_on()) {
        return make(function, call, manner, words);
    }
    nvpshim__line_begin(&line, function, words);
    nvmlReturn_t result = make(function, call, manner, words);
    nvpshim__line_end(&line, result);
    return result;
}

/* A wait for an event ends by itself; affinity is that of the thread which asks for it, and no other thread can do that in its place. */
static bool is_direct(int function_index)
{
    return nvp__is_wait(function_index) || function_index == NVP_FN_nvmlSystemEventSetWait ||
           function_index == NVP_FN_nvmlDeviceSetCpuAffinity || function_index == NVP_FN_nvmlDeviceClearCpuAffinity;
}

nvmlReturn_t nvpshim__apart(int function_index, nvp__any_function call, const uint64_t *words)
{
    if (!nvpshim__is_watched()) {
        return NVML_ERROR_UNINITIALIZED;
    }
    bool is_ready = nvpshim__is_initialised(); /* before, all answer alike */
    return nvpshim__watched(function_index, call, is_ready && is_direct(function_index) ? NVPSHIM__DIRECT : NVPSHIM__USUAL,
                            words);
}

void nvpshim__watched_text(nvmlReturn_t code, const char *text)
{
    struct nvpshim__line line;
    const uint64_t words[] = { code };
    if (nvpshim__trace_is_on()) {
        nvpshim__line_begin(&line, &nvp__functions[NVP_FN_nvmlErrorString], words);
        nvpshim__line_end_text(&line, text);
    }
}
