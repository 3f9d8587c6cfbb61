/*
 * Opening the library, calling by name, choosing a case.
 */
#include "client.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void *library, *behind;

any_fn *find(void *where, const char *name)
{
    any_fn *function;
    void *symbol = dlsym(where, name);
    memcpy(&function, &symbol, sizeof symbol);
    return function;
}

nvmlReturn_t call(const char *name, uint64_t first, uint64_t second)
{
    any_fn *function = find(library, name);
    CHECK(function != NULL);
    return function(first, second, 0, 0, 0, 0);
}

void init(void)
{
    CHECK(call("nvmlInit_v2", 0, 0) == NVML_SUCCESS);
}

uint64_t device_of(void *where, unsigned int index)
{
    nvmlDevice_t device = NULL;
    CHECK(find(where, "nvmlDeviceGetHandleByIndex_v2")(index, POINTER(&device), 0, 0, 0, 0) == NVML_SUCCESS);
    return POINTER(device);
}

int await_child(pid_t child)
{
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int client_main(int argc, char **argv, const struct client_case cases[], size_t count)
{
    const char *sim = getenv("TEST_SIM");
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    behind = sim != NULL ? dlopen(sim, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL || behind == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    CHECK(library != behind);
    for (size_t i = 0; argc == 2 && i < count; i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    }
    fprintf(stderr, "usage: %s CASE\n", argv[0]);
    return 2;
}
