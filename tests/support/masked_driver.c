/*
 * A driver that is another one with some functions missing: every function passes its arguments on to the library that
 * TEST_WHOLE_DRIVER names. Which of them this library exports, the version script decides with which it is linked. What it hides
 * is still found by masked_function(), so that a test can compare.
 */
#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void any_fn(void);

EXPORT any_fn *masked_function(const char *name);

static void *whole;

__attribute__((constructor)) static void open_whole(void)
{
    const char *path = getenv("TEST_WHOLE_DRIVER");
    whole = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (whole == NULL) {
        fprintf(stderr, "masked driver: TEST_WHOLE_DRIVER: %s\n", path != NULL ? dlerror() : "not set");
        abort();
    }
}

/** Any symbol of the whole driver; NULL when it has none of that name. */
any_fn *masked_function(const char *name)
{
    void *symbol = dlsym(whole, name);
    any_fn *function;
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    EXPORT nvmlReturn_t name parameters;                                                                                         \
    nvmlReturn_t name parameters                                                                                                 \
    {                                                                                                                            \
        typedef nvmlReturn_t function_type parameters;                                                                           \
        function_type *function = (function_type *)masked_function(#name);                                                       \
        return function != NULL ? function arguments : NVML_ERROR_FUNCTION_NOT_FOUND;                                            \
    }
#include "abi/functions.def"
