/*
 * Any bytes as a scenario file: it is accepted, or refused with one line that names the file and fits the buffer.
 */
#include "simulator.h"

#include <nvpulse/sim.h>

#include <dlfcn.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static nvpsim_check_scenario_fn *find_check(void)
{
    char path[PATH_MAX];
    simulator_path(path, sizeof(path));
    void *library = dlopen(path, RTLD_NOW);
    void *symbol = library != NULL ? dlsym(library, "nvpsim_check_scenario") : NULL;
    nvpsim_check_scenario_fn *check;
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(&check, &symbol, sizeof(check));
    return check;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static nvpsim_check_scenario_fn *check;
    static int file = -1;
    static char path[64];
    if (check == NULL) {
        check = find_check();
        file = memfd_create("scenario", MFD_CLOEXEC);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    }
    char message[256] = "";
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) {
        abort();
    }
    int answer = check(path, message, sizeof(message));
    if (answer != 0 && (strlen(message) == 0 || strchr(message, '\n') != NULL)) {
        abort();
    }
    return 0;
}
