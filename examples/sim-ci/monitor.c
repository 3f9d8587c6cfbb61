/*
 * A GPU program as any other: it opens NVIDIA's library by name and knows nothing of a simulation. For each GPU one line: its
 * temperature, "hot" from 90 °C on, or why it cannot be read. The exit status is 1 when a GPU is hot or lost.
 *
 * monitor [ROUNDS]: looks once a second, once by default. NVML is initialised anew in each round, so that GPUs that come back are seen.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { HOT_C = 90 };

/* The few calls that are needed; with <nvpulse/nvml.h> and -lnvpulse they would be called directly. */
static struct {
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *count);
    int (*handle)(unsigned index, void **device);
    int (*temperature)(void *device, int sensor, unsigned *celsius);
    const char *(*text)(int result);
} nvml;

static int open_nvml(void)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == NULL) {
        return 0;
    }
    *(void **)&nvml.init = dlsym(library, "nvmlInit_v2");
    *(void **)&nvml.shutdown = dlsym(library, "nvmlShutdown");
    *(void **)&nvml.count = dlsym(library, "nvmlDeviceGetCount_v2");
    *(void **)&nvml.handle = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&nvml.temperature = dlsym(library, "nvmlDeviceGetTemperature");
    *(void **)&nvml.text = dlsym(library, "nvmlErrorString");
    return nvml.init && nvml.shutdown && nvml.count && nvml.handle && nvml.temperature && nvml.text;
}

/* One line; whether something is wrong with the GPU. */
static int look(unsigned index)
{
    void *device;
    unsigned celsius;
    int result = nvml.handle(index, &device);
    if (result == 0) {
        result = nvml.temperature(device, 0, &celsius);
    }
    if (result != 0) {
        printf("GPU %u: %s\n", index, nvml.text(result));
        return 1;
    }
    printf("GPU %u: %u C%s\n", index, celsius, celsius >= HOT_C ? ", hot" : "");
    return celsius >= HOT_C;
}

static int look_at_all(void)
{
    unsigned count = 0;
    int bad = 0, result = nvml.init();
    if (result == 0) {
        result = nvml.count(&count);
        for (unsigned i = 0; result == 0 && i < count; i++) {
            bad |= look(i);
        }
        nvml.shutdown();
    }
    if (result != 0) {
        printf("NVML: %s\n", nvml.text(result));
        return 1;
    }
    fflush(stdout);
    return bad;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1, bad = 0;
    if (!open_nvml()) {
        puts("NVML: no driver");
        return 2;
    }
    for (int i = 0; i < rounds; i++) {
        if (i > 0) {
            sleep(1);
        }
        bad = look_at_all();
    }
    return bad;
}
