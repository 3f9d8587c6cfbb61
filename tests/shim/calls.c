/*
 * Calls whose trace test_trace.py looks at: `calls CASE` makes them. What they answer is checked there, not here.
 */
#include "client.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CALLS_OF_A_THREAD 100

static nvmlReturn_t call3(const char *name, uint64_t first, uint64_t second, uint64_t third)
{
    return find(library, name)(first, second, third, 0, 0, 0);
}

static void make_all_kinds(void)
{
    char text[96] = "";
    unsigned int number = 0, count = 1, two = 2;
    nvmlMemory_t memory;
    nvmlProcessInfo_t processes[16];
    nvmlFieldValue_t values[2] = { { .fieldId = NVML_FI_DEV_MEMORY_TEMP }, { .fieldId = 9999 } };
    nvmlDevice_t device = NULL;
    nvmlUtilization_t utilization;
    call("nvmlDeviceGetCount_v2", POINTER(&number), 0);
    init();
    call("nvmlDeviceGetHandleByIndex_v2", 1, POINTER(&device));
    call("nvmlDeviceGetHandleByIndex_v2", 99, POINTER(&device));
    call3("nvmlDeviceGetUUID", POINTER(device), POINTER(text), sizeof text);
    call("nvmlDeviceGetHandleByUUID", POINTER(text), POINTER(&device));
    call3("nvmlDeviceGetName", POINTER(device), POINTER(text), 4);
    call("nvmlDeviceGetMemoryInfo", POINTER(device), POINTER(&memory));
    call("nvmlDeviceGetUtilizationRates", POINTER(device), POINTER(&utilization));
    call3("nvmlDeviceGetTemperature", POINTER(device), NVML_TEMPERATURE_GPU, POINTER(&number));
    call("nvmlDeviceGetPerformanceState", POINTER(device), POINTER(&number));
    call("nvmlDeviceGetFanSpeed", POINTER(device), POINTER(&number));
    device = (nvmlDevice_t)(uintptr_t)device_of(library, 0);
    call3("nvmlDeviceGetComputeRunningProcesses_v3", POINTER(device), POINTER(&count), POINTER(processes));
    count = 16;
    call3("nvmlDeviceGetComputeRunningProcesses_v3", POINTER(device), POINTER(&count), POINTER(processes));
    call3("nvmlDeviceGetFieldValues", POINTER(device), two, POINTER(values));
    call("nvmlDeviceGetPowerUsage", POINTER(device), 0);
    const char *(*error_string)(nvmlReturn_t);
    any_fn *symbol = find(library, "nvmlErrorString");
    memcpy(&error_string, &symbol, sizeof symbol);
    error_string(NVML_ERROR_TIMEOUT);
    call("nvmlShutdown", 0, 0);
}

static void ask(unsigned int index)
{
    unsigned int power_mw;
    CHECK(call("nvmlDeviceGetPowerUsage", device_of(library, index), POINTER(&power_mw)) == NVML_SUCCESS);
}

static void make_in_a_child(void)
{
    init();
    ask(0);
    pid_t child = fork();
    if (child == 0) {
        ask(1);
        _exit(0); /* without any exit handler */
    }
    CHECK(await_child(child) == 0);
    ask(2);
}

static void *ask_often(void *argument)
{
    for (int i = 0; i < CALLS_OF_A_THREAD; i++) {
        ask((unsigned int)(uintptr_t)argument);
    }
    return NULL;
}

static void make_in_threads(void)
{
    pthread_t threads[8];
    init();
    for (uintptr_t i = 0; i < 8; i++) {
        CHECK(pthread_create(&threads[i], NULL, ask_often, (void *)i) == 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void make_and_be_killed(void)
{
    init();
    ask(0);
    raise(SIGKILL);
}

/* As a daemon does: all descriptors are closed, and their numbers are used for something else. */
static void make_after_closing_everything(void)
{
    init();
    ask(0);
    for (int i = 3; i < 1024; i++) {
        close(i);
    }
    int own = open("own.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(own >= 0);
    for (int i = 100; i < 300; i++) {
        CHECK(dup2(own, i) == i);
    }
    ask(1);
    ask(2);
    struct stat info;
    CHECK(fstat(own, &info) == 0 && info.st_size == 0);
}

static const struct client_case cases[] = {
    { "all_kinds", make_all_kinds },
    { "in_a_child", make_in_a_child },
    { "in_threads", make_in_threads },
    { "and_be_killed", make_and_be_killed },
    { "after_closing_everything", make_after_closing_everything },
};

int main(int argc, char **argv)
{
    return client_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
