/*
 * A program that knows nothing of nvpulse: it opens libnvidia-ml.so.1 as others do, and finds the shim. `client CASE` runs one case.
 * TEST_SIM is the path of the simulated driver behind the shim, which the cases open beside it to compare.
 */
#include "client.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/sim.h>

enum { NVP_FN_WRITES = 1, NVP_FN_DEPRECATED = 0, NVP_FN_DEVICES = 0, NVP_FN_NO_BY_NAME = 0, NVP_FN_SESSION = 2 };

static const struct function {
    const char *name;
    int flags;
    const char *shape, *parameters;
} functions[] = {
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    { #name, flags, #shape, #parameters },
#include "abi/functions.def"
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

static void every_function_is_there(void)
{
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (find(library, functions[i].name) == NULL) {
            fprintf(stderr, "%s is missing\n", functions[i].name);
            _exit(1);
        }
    }
    CHECK(find(library, "nvpshim_description") != NULL);
    CHECK(dlsym(library, "nvp_query") == NULL); /* nothing of nvpulse's own can be seen */
}

static bool answers_without_init(const char *name)
{
    return strcmp(name, "nvmlShutdown") == 0 || strcmp(name, "nvmlSystemGetNVMLVersion") == 0 ||
           strncmp(name, "nvmlInit", 8) == 0 || strcmp(name, "nvmlErrorString") == 0;
}

static void check_all_uninitialised(void)
{
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (!answers_without_init(functions[i].name) && call(functions[i].name, 0, 0) != NVML_ERROR_UNINITIALIZED) {
            fprintf(stderr, "%s does not answer that NVML is not initialised\n", functions[i].name);
            _exit(1);
        }
    }
    CHECK(call("nvmlShutdown", 0, 0) == NVML_SUCCESS); /* as the real ones do */
}

static void before_init_every_call_answers_uninitialised(void)
{
    check_all_uninitialised();
    init();
    init();
    unsigned int count = 0;
    CHECK(call("nvmlDeviceGetCount_v2", POINTER(&count), 0) == NVML_SUCCESS && count == 8);
    CHECK(call("nvmlShutdown", 0, 0) == NVML_SUCCESS);
    CHECK(call("nvmlDeviceGetCount_v2", POINTER(&count), 0) == NVML_SUCCESS);
    CHECK(call("nvmlShutdown", 0, 0) == NVML_SUCCESS);
    check_all_uninitialised();
    init();
    CHECK(call("nvmlDeviceGetCount_v2", POINTER(&count), 0) == NVML_SUCCESS && count == 8);
}

static void init_is_counted_and_reaches_the_driver_once(void)
{
    nvpsim_call_count_fn *calls = NULL;
    void *symbol = dlsym(behind, "nvpsim_call_count");
    memcpy(&calls, &symbol, sizeof symbol);
    init();
    uint64_t inits = calls("nvmlInit_v2") + calls("nvmlInit") + calls("nvmlInitWithFlags");
    for (int i = 0; i < 99; i++) {
        init();
    }
    CHECK(inits >= 1 && calls("nvmlInit_v2") + calls("nvmlInit") + calls("nvmlInitWithFlags") == inits);
    for (int i = 0; i < 100; i++) {
        CHECK(calls("nvmlShutdown") == 0);
        CHECK(call("nvmlShutdown", 0, 0) == NVML_SUCCESS);
    }
    CHECK(calls("nvmlShutdown") == 1);
}

#define BUFFER 65536

/* One call with zeroed buffers of its own; counts say that there is room for sixteen. */
static nvmlReturn_t call_with_buffers(void *where, const struct function *function, uint64_t device,
                                      unsigned char buffers[6][BUFFER])
{
    uint64_t words[6] = { device, 0, 0, 0, 0, 0 };
    memset(buffers, 0, (size_t)6 * BUFFER);
    for (size_t i = 1; i < 6 && function->shape[i] != '\0'; i++) {
        if (function->shape[i] == 'P') {
            const unsigned int room = 16;
            memcpy(buffers[i], &room, sizeof room);
            words[i] = POINTER(buffers[i]);
        }
    }
    return find(where, function->name)(words[0], words[1], words[2], words[3], words[4], words[5]);
}

/* Process lists differ by intent: the shim's have one layout on every driver. A wait takes its time. */
static bool is_comparable(const struct function *function)
{
    return (function->flags & (NVP_FN_WRITES | NVP_FN_SESSION)) == 0 &&
           strncmp(function->parameters, "(nvmlDevice_t device", 20) == 0 && strstr(function->name, "RunningProcesses") == NULL &&
           strstr(function->name, "RegisterEvents") == NULL && strstr(function->name, "FieldValues") == NULL &&
           find(behind, function->name) != NULL;
}

static void values_are_those_of_the_driver(void)
{
    static unsigned char own[6][BUFFER], other[6][BUFFER];
    init();
    CHECK(find(behind, "nvmlInit_v2")(0, 0, 0, 0, 0, 0) == NVML_SUCCESS);
    uint64_t device = device_of(library, 1), raw = device_of(behind, 1);
    size_t compared = 0, succeeded = 0;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (!is_comparable(&functions[i])) {
            continue;
        }
        nvmlReturn_t answer = call_with_buffers(library, &functions[i], device, own);
        nvmlReturn_t expected = call_with_buffers(behind, &functions[i], raw, other);
        if (answer != expected || memcmp(own, other, sizeof own) != 0) {
            fprintf(stderr, "%s: %d, the driver itself: %d; outputs %s\n", functions[i].name, answer, expected,
                    memcmp(own, other, sizeof own) == 0 ? "the same" : "differ");
            _exit(1);
        }
        compared++;
        succeeded += answer == NVML_SUCCESS;
    }
    CHECK(compared > 60 && succeeded > 20);
}

static void missing_function_is_an_answer(void)
{
    size_t missing = 0;
    init();
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (find(behind, functions[i].name) == NULL && (functions[i].flags & NVP_FN_SESSION) == 0) {
            missing += call(functions[i].name, 0, 0) == NVML_ERROR_FUNCTION_NOT_FOUND;
        }
    }
    CHECK(missing > 0 || find(behind, "nvmlDeviceGetAddressingMode") != NULL);
}

static void process_list_has_the_layout_of_its_header(void)
{
    nvmlProcessInfo_t list[32];
    unsigned int count = 32;
    init();
    memset(list, 0xee, sizeof list);
    nvmlReturn_t answer =
        find(library, "nvmlDeviceGetComputeRunningProcesses_v3")(device_of(library, 0), POINTER(&count), POINTER(list), 0, 0, 0);
    CHECK(answer == NVML_SUCCESS && count == 2);
    for (unsigned int i = 0; i < count; i++) {
        CHECK(list[i].pid > 0 && list[i].pid < 1u << 30 && list[i].usedGpuMemory >> 20 > 100 && list[i].usedGpuMemory >> 30 < 80);
    }
    count = 0;
    answer = find(library, "nvmlDeviceGetComputeRunningProcesses_v3")(device_of(library, 0), POINTER(&count), 0, 0, 0, 0);
    CHECK(answer == NVML_ERROR_INSUFFICIENT_SIZE && count >= 2);
}

static void child_goes_on_with_what_its_parent_initialised(void)
{
    init();
    uint64_t device = device_of(library, 2);
    pid_t child = fork();
    if (child == 0) {
        unsigned int power_mw = 0;
        CHECK(call("nvmlDeviceGetPowerUsage", device, POINTER(&power_mw)) == NVML_SUCCESS && power_mw > 0);
        CHECK(call("nvmlShutdown", 0, 0) == NVML_SUCCESS);
        CHECK(call("nvmlDeviceGetPowerUsage", device, POINTER(&power_mw)) == NVML_ERROR_UNINITIALIZED);
        exit(0);
    }
    CHECK(await_child(child) == 0);
    unsigned int power_mw = 0;
    CHECK(call("nvmlDeviceGetPowerUsage", device, POINTER(&power_mw)) == NVML_SUCCESS);
}

static void *query(void *argument)
{
    unsigned int power_mw;
    uint64_t device = POINTER(argument);
    while (call("nvmlDeviceGetPowerUsage", device, POINTER(&power_mw)) == NVML_SUCCESS) {
    }
    return NULL;
}

static void main_returns_while_threads_query(void)
{
    init();
    for (int i = 0; i < 16; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, query, (void *)(uintptr_t)device_of(library, (unsigned int)i % 8)) == 0);
        pthread_detach(thread);
    }
    usleep(2000);
}

static void private_names_are_passed_on(void)
{
    static const unsigned char id[16] = { 0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e, /* that nvidia-smi asks for */
                                          0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4 };
    const void *direct = NULL, *passed_on = NULL;
    init();
    CHECK(find(behind, "nvmlInternalGetExportTable")(POINTER(&direct), POINTER(id), 0, 0, 0, 0) == NVML_SUCCESS);
    CHECK(call("nvmlInternalGetExportTable", POINTER(&passed_on), POINTER(id)) == NVML_SUCCESS && passed_on == direct);
    nvmlReturn_t expected = find(behind, "nvmlInternalGetExportTable")(POINTER(&direct), POINTER("0123456789abcdef"), 0, 0, 0, 0);
    CHECK(call("nvmlInternalGetExportTable", POINTER(&passed_on), POINTER("0123456789abcdef")) == expected &&
          passed_on == direct);
    any_fn *retry = find(behind, "nvmlRetry_NvRmControl");
    expected = retry != NULL ? retry(1, 2, 3, 4, 5, 6) : NVML_ERROR_FUNCTION_NOT_FOUND;
    CHECK(find(library, "nvmlRetry_NvRmControl")(1, 2, 3, 4, 5, 6) == expected);
}

static void nothing_is_written_to_the_standard_streams(void)
{
    static const char *const missing[] = { "nvmlDeviceGetAddressingMode", "nvmlDeviceGetFanSpeedRPM",
                                           "nvmlDeviceGetMarginTemperature" };
    init(); /* the test fails on any output: see CMakeLists.txt */
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        call(missing[i], device_of(library, 0), 0);
    }
}

static const struct client_case cases[] = {
    { "every_function_is_there", every_function_is_there },
    { "before_init_every_call_answers_uninitialised", before_init_every_call_answers_uninitialised },
    { "init_is_counted_and_reaches_the_driver_once", init_is_counted_and_reaches_the_driver_once },
    { "values_are_those_of_the_driver", values_are_those_of_the_driver },
    { "missing_function_is_an_answer", missing_function_is_an_answer },
    { "process_list_has_the_layout_of_its_header", process_list_has_the_layout_of_its_header },
    { "child_goes_on_with_what_its_parent_initialised", child_goes_on_with_what_its_parent_initialised },
    { "main_returns_while_threads_query", main_returns_while_threads_query },
    { "private_names_are_passed_on", private_names_are_passed_on },
    { "nothing_is_written_to_the_standard_streams", nothing_is_written_to_the_standard_streams },
};

int main(int argc, char **argv)
{
    return client_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
