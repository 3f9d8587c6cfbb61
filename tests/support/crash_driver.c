/*
 * A driver that fails as no answer can tell: TEST_CRASH says where ("load", "init", "name") and how ("crash", "hang",
 * "exit"), as in "init-crash". Where it does not fail it shows one device, or claims as many as TEST_COUNT says.
 */
#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT nvmlReturn_t nvmlInit_v2(void);
EXPORT nvmlReturn_t nvmlShutdown(void);
EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count);
EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device);
EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length);

static void fail_at(const char *place)
{
    const char *what = getenv("TEST_CRASH");
    size_t length = strlen(place);
    if (what == NULL || strncmp(what, place, length) != 0 || what[length] != '-') {
        return;
    }
    printf("said to standard output\n");
    fflush(stdout);
    fprintf(stderr, "said to standard error\n");
    if (strcmp(what + length, "-crash") == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer would report it */
        raise(SIGSEGV);
    } else if (strcmp(what + length, "-exit") == 0) {
        exit(7);
    }
    for (;;) {
        pause();
    }
}

__attribute__((constructor)) static void load(void)
{
    fail_at("load");
}

nvmlReturn_t nvmlInit_v2(void)
{
    fail_at("init");
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown(void)
{
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count)
{
    const char *text = getenv("TEST_COUNT");
    *count = text != NULL ? (unsigned int)strtoul(text, NULL, 10) : 1;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    static char only;
    if (index != 0) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *device = (nvmlDevice_t)(void *)&only;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
    (void)device;
    fail_at("name");
    snprintf(name, length, "Only GPU");
    return NVML_SUCCESS;
}
