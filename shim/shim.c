/*
 * NVML's functions under their own names, for programs that were built for NVIDIA's library. Each asks whether the program has initialised
 * NVML, as the real library does first of all, and goes on to the safe entry point of the same name. Knows nothing of what functions do.
 */
#include "shim.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/base.h>
#include <nvpulse/driver.h>
#include <nvpulse/lifecycle.h>
#include <nvpulse/log.h>

#include "watch.h"

#include "driver/search.h"
#include "query/words.h"

atomic_int nvpshim__word;

SHIM_EXPORT const char *nvpshim_description(void);

const char *nvpshim_description(void)
{
    return "nvpulse shim " NVP_VERSION;
}

/* The real library never writes: neither does this one, unless somebody asks for it. */
__attribute__((constructor)) static void begin(void)
{
    const char *level = getenv("LOGLEVEL");
    if (level == NULL || level[0] == '\0') {
        nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    }
#ifndef NVP_SHIM_SANITIZED              /* a sanitizer cannot live with it */
    nvp__search_flags |= RTLD_DEEPBIND; /* the driver's calls of its own functions shall not come back here */
#endif
    nvpshim__watch_begin();
}

#define ANY(function) ((nvp__any_function)(function))

#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    nvmlReturn_t nvp_##name parameters;                                                                                          \
    SHIM_EXPORT nvmlReturn_t name parameters;                                                                                    \
    nvmlReturn_t name parameters                                                                                                 \
    {                                                                                                                            \
        return nvpshim__is_plain() ? nvp_##name arguments                                                                        \
                                   : nvpshim__apart(NVP_FN_##name, ANY(nvp_##name), (const uint64_t[]){ NVP__WORDS arguments }); \
    }
#define NVP_FUNCTION_SESSION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)             \
    nvmlReturn_t nvp_##name parameters;                                                                                          \
    SHIM_EXPORT nvmlReturn_t name parameters;
#define NVP_FN_version_when_initialised NVP_FN_nvmlSystemGetNVMLVersion
#define nvp_version_when_initialised nvp_nvmlSystemGetNVMLVersion
#define nvmlSystemGetNVMLVersion version_when_initialised /* the row of this one makes a helper; it is exported below */
#include "abi/functions.def"
#undef nvmlSystemGetNVMLVersion

SHIM_EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length);
SHIM_EXPORT const char *nvmlErrorString(nvmlReturn_t result);
const char *nvp_nvmlErrorString(nvmlReturn_t result);

static nvmlReturn_t count_init(nvmlReturn_t result)
{
    if (result == NVML_SUCCESS) {
        atomic_fetch_add(&nvpshim__word, 1);
    }
    return result;
}

nvmlReturn_t nvmlInit(void)
{
    return count_init(nvpshim__is_watched() ? nvpshim__watched(NVP_FN_nvmlInit, ANY(nvp_nvmlInit), NVPSHIM__ALWAYS, NULL)
                                            : nvp_nvmlInit());
}

nvmlReturn_t nvmlInit_v2(void)
{
    return count_init(nvpshim__is_watched() ? nvpshim__watched(NVP_FN_nvmlInit_v2, ANY(nvp_nvmlInit_v2), NVPSHIM__ALWAYS, NULL)
                                            : nvp_nvmlInit_v2());
}

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
    const uint64_t words[] = { flags };
    return count_init(nvpshim__is_watched()
                          ? nvpshim__watched(NVP_FN_nvmlInitWithFlags, ANY(nvp_nvmlInitWithFlags), NVPSHIM__ALWAYS, words)
                          : nvp_nvmlInitWithFlags(flags));
}

/* Takes one init back; false when there is none. */
static bool take_init(void)
{
    int word = atomic_load(&nvpshim__word);
    while ((word & ~NVPSHIM__WATCHED) != 0 && !atomic_compare_exchange_weak(&nvpshim__word, &word, word - 1)) {
    }
    return (word & ~NVPSHIM__WATCHED) != 0;
}

/*
 * As the real libraries, this answers success when nothing was initialised. A child that was forked has the inits of its parent, but
 * the library counts its own anew: having nothing to shut down is no failure either.
 */
static nvmlReturn_t shut_down(void)
{
    if (!take_init()) {
        return NVML_SUCCESS;
    }
    nvmlReturn_t result = nvp_nvmlShutdown();
    if (result == NVML_ERROR_TIMEOUT ||
        result == NVML_ERROR_IN_USE) { /* a call has not returned: NVML stays open, and so does this count */
        atomic_fetch_add(&nvpshim__word, 1);
        return result;
    }
    return result == NVML_ERROR_UNINITIALIZED ? NVML_SUCCESS : result;
}

/* It waits no longer than the deadline by itself: see nvp__settings_limit(). */
nvmlReturn_t nvmlShutdown(void)
{
    return nvpshim__is_watched() ? nvpshim__watched(NVP_FN_nvmlShutdown, ANY(shut_down), NVPSHIM__DIRECT, NULL) : shut_down();
}

const char *nvmlErrorString(nvmlReturn_t result)
{
    const char *text = nvp_nvmlErrorString(result);
    if (nvpshim__is_watched()) {
        nvpshim__watched_text(result, text);
    }
    return text;
}

/* From driver 535 on a library tells its version to programs that have not initialised it: what the real one answers is answered. */
static nvmlReturn_t version_of_driver(char *version, unsigned int length)
{
    nvmlReturn_t (*real)(char *, unsigned int) = NULL;
    void *symbol = nvp_driver_find() == NVP_SUCCESS ? nvp_symbol("nvmlSystemGetNVMLVersion") : NULL;
    memcpy(&real, &symbol, sizeof symbol);
    return real != NULL ? real(version, length) : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    const uint64_t words[] = { NVP__WORDS(version, length) };
    if (nvpshim__is_initialised()) {
        return version_when_initialised(version, length);
    }
    return nvpshim__is_watched()
               ? nvpshim__watched(NVP_FN_nvmlSystemGetNVMLVersion, ANY(version_of_driver), NVPSHIM__ALWAYS, words)
               : version_of_driver(version, length);
}
