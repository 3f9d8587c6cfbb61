/*
 * A program that opens libnvpulse.so by hand and closes it again: the library stays, so that its exit handler can run.
 * Usage: process-unload LIBNVPULSE
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef unsigned int count_fn(unsigned int *count);

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library != NULL ? dlsym(library, "nvp_nvmlDeviceGetCount_v2") : NULL;
    count_fn *get_count;
    unsigned int count = 0;
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    memcpy(&get_count, &symbol, sizeof(get_count));
    if (get_count(&count) != 0 || count == 0) {
        fputs("the query failed\n", stderr);
        return 1;
    }
    dlclose(library);
    return get_count(&count) == 0 ? 0 : 1; /* still mapped: -z nodelete */
}
