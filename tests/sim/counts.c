/*
 * A program that knows nothing of the control API makes known calls, in itself and in a forked child; counts.sh looks at what
 * the simulated driver wrote.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int call_fn(void);
typedef int count_fn(unsigned *count);

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return symbol;
}

int main(int argc, char **argv)
{
    int status = 0;
    unsigned count = 0;
    call_fn *init = NULL;
    count_fn *device_count = NULL;
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&init = find(library, "nvmlInit_v2");
    *(void **)&device_count = find(library, "nvmlDeviceGetCount_v2");
    int failures = init() != 0 || device_count(&count) != 0 || device_count(&count) != 0 || count != 8;
    pid_t child = fork();
    if (child == 0) {
        exit(device_count(&count) != 0);
    }
    failures += waitpid(child, &status, 0) != child || status != 0;
    printf("%d %d\n", (int)getpid(), (int)child);
    return failures;
}
