/*
 * The parts of scripts/gpu-check that need C: each part is a process of its own and prints
 * NAME<TAB>RESULT<TAB>DETAIL lines. Uses the public API alone and only reads; nothing on the GPU is changed.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <nvpulse/nvpulse.h>

enum { NO_GPU = 77, CALLS = 20000, ROUNDS = 5, THREADS = 4 };

static void row(const char *name, bool ok, const char *detail)
{
    printf("%s\t%s\t%s\n", name, ok ? "ok" : "FAILED", detail);
    fflush(stdout);
}

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static nvmlDevice_t first_device(void)
{
    nvmlDevice_t device = NULL;
    nvmlReturn_t result = nvmlDeviceGetHandleByIndex(0, &device);
    if (result != NVML_SUCCESS) {
        row("first device", false, nvp_status_text((nvp_status)result));
        exit(1);
    }
    return device;
}

/* A library is there, it is a real one, it opens, and it has a GPU. */
static int check_driver(bool simulated_too)
{
    char detail[256];
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    unsigned int count = 0;
    double begin = now_us();
    nvp_status status = nvp_init();
    double opened = now_us();
    nvp_driver_get_info(&info);
    if (status == NVP_SUCCESS && nvmlDeviceGetCount(&count) != NVML_SUCCESS)
        count = 0;
    if (status != NVP_SUCCESS || count == 0 || (info.simulated && !simulated_too)) {
        const char *why = status != NVP_SUCCESS ? nvp_status_text(status) : count == 0 ? "no device" : "the driver is simulated";
        printf("driver\tnone\t%s\n", why);
        return NO_GPU;
    }
    first_device();
    double reached = now_us();
    snprintf(detail, sizeof(detail), "%s, %zu functions%s", info.path, info.function_count, info.simulated ? ", SIMULATED" : "");
    row("driver", true, detail);
    snprintf(detail, sizeof(detail), "%.2f ms, count and first handle %.2f ms", (opened - begin) / 1e3, (reached - opened) / 1e3);
    row("init", true, detail);
    snprintf(detail, sizeof(detail), "%u", count);
    row("devices", true, detail);
    return 0;
}

/* A dozen functions by name: a value or N/A with its reason, never an error of ours, with the time that each took. */
static int check_queries(void)
{
    static const char *const names[] = {
        "nvmlDeviceGetName",
        "nvmlDeviceGetUUID",
        "nvmlDeviceGetPciInfo_v3",
        "nvmlDeviceGetMemoryInfo",
        "nvmlDeviceGetPowerUsage",
        "nvmlDeviceGetPowerState",
        "nvmlDeviceGetUtilizationRates",
        "nvmlDeviceGetFanSpeed",
        "nvmlDeviceGetComputeMode",
        "nvmlDeviceGetDisplayMode",
        "nvmlDeviceGetMinorNumber",
        "nvmlDeviceGetBAR1MemoryInfo",
        "nvmlDeviceGetMigMode",
        "nvmlDeviceGetVbiosVersion",
        "nvmlDeviceGetNumGpuCores",
        "nvmlDeviceGetTotalEnergyConsumption",
    };
    nvmlDevice_t device = first_device();
    size_t present = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char text[96], detail[160];
        nvp_value value = NVP_VALUE_INIT;
        double begin = now_us();
        nvp_status status = nvp_query(names[i], NVP_ARGS(nvp_arg_handle(device)), NULL, &value);
        double took = now_us() - begin;
        nvp_value_format(&value, text, sizeof(text));
        snprintf(detail, sizeof(detail), "%8.1f us  %s%s%s", took, text, value.kind == NVP_KIND_NA ? ": " : "",
                 value.kind == NVP_KIND_NA ? nvp_reason_text(value.reason) : "");
        row(names[i] + strlen("nvmlDeviceGet"), status == NVP_SUCCESS, detail);
        present += nvp_check(&value, 0);
        nvp_value_clear(&value);
    }
    row("most have a value", present >= 8, "");
    return 0;
}

/* Several field ids in one call. */
static int check_fields(void)
{
    static nvp_field fields[] = {
        NVP_FIELD_OF(NVML_FI_DEV_MEMORY_TEMP, 0),
        NVP_FIELD_OF(NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, 0),
        NVP_FIELD_OF(NVML_FI_DEV_POWER_INSTANT, 0),
        NVP_FIELD_OF(NVML_FI_DEV_NVLINK_LINK_COUNT, 0),
    };
    enum { COUNT = sizeof(fields) / sizeof(fields[0]) };
    double begin = now_us();
    nvp_status status = nvp_query_fields(first_device(), fields, COUNT);
    double took = now_us() - begin;
    char detail[160];

    snprintf(detail, sizeof(detail), "%.1f us  %s", took, nvp_status_text(status));
    row("nvp_query_fields", status == NVP_SUCCESS, detail);
    for (size_t i = 0; i < COUNT; i++) {
        char text[64];
        nvp_value_format(&fields[i].value, text, sizeof(text));
        snprintf(detail, sizeof(detail), "%s, at %" PRId64 " us", text, fields[i].timestamp_us);
        row(nvp_field_id_name(fields[i].field_id), true, detail);
    }
    return 0;
}

typedef nvmlReturn_t index_fn(nvmlDevice_t device, unsigned int *index);

static double time_calls(index_fn *function, nvmlDevice_t device)
{
    unsigned int index = 0;
    double begin = now_us();
    for (int i = 0; i < CALLS; i++)
        function(device, &index);
    return (now_us() - begin) * 1e3 / CALLS;
}

/* What the guard adds to a cheap call; raw and guarded take turns, the best round of each counts. */
static int check_speed(void)
{
    nvmlDevice_t device = first_device();
    index_fn *raw = (index_fn *)nvp_symbol("nvmlDeviceGetIndex");
    double best_raw = 1e12, best_guarded = 1e12;
    char detail[160];

    if (raw == NULL) {
        row("guarded against raw", false, "no nvmlDeviceGetIndex");
        return 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double raw_ns = time_calls(raw, device);
        double guarded_ns = time_calls(nvmlDeviceGetIndex, device);
        best_raw = raw_ns < best_raw ? raw_ns : best_raw;
        best_guarded = guarded_ns < best_guarded ? guarded_ns : best_guarded;
    }
    snprintf(detail, sizeof(detail), "raw %.1f ns, guarded %.1f ns, ratio %.3f", best_raw, best_guarded, best_guarded / best_raw);
    row("guarded against raw", true, detail);
    return 0;
}

static void *query_for_ever(void *device)
{
    nvmlUtilization_t utilization;
    for (;;)
        nvmlDeviceGetUtilizationRates((nvmlDevice_t)device, &utilization);
    return NULL;
}

static void start_load(nvmlDevice_t device)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, query_for_ever, device) != 0 || pthread_detach(thread) != 0)
            exit(1);
    }
    usleep(100 * 1000);
}

/* Children that are forked while other threads are inside the driver can query, and the parent goes on. */
static int check_fork(void)
{
    nvmlDevice_t device = first_device();
    bool all_well = true;
    char detail[64];
    double begin = now_us();

    start_load(device);
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = fork();
        if (child == 0) {
            unsigned int count = 0;
            alarm(20);
            _exit(nvmlDeviceGetCount(&count) == NVML_SUCCESS && count > 0 ? 0 : 1);
        }
        int status = -1;
        all_well &= child > 0 && waitpid(child, &status, 0) == child && status == 0;
    }
    snprintf(detail, sizeof(detail), "%d children under load, %.0f ms", ROUNDS, (now_us() - begin) / 1e3);
    row("fork", all_well, detail);
    unsigned int index = 0;
    row("parent after fork", nvmlDeviceGetIndex(device, &index) == NVML_SUCCESS, "");
    return 0;
}

/* Leaves main with queries under way: the process must end with status 0, and soon; the caller looks. */
static int check_exit(void)
{
    start_load(first_device());
    return 0;
}

int main(int count, char **arguments)
{
    const char *part = count > 1 ? arguments[1] : "";
    if (strcmp(part, "driver") == 0)
        return check_driver(count > 2 && strcmp(arguments[2], "--simulated") == 0);
    if (strcmp(part, "queries") == 0)
        return check_queries();
    if (strcmp(part, "fields") == 0)
        return check_fields();
    if (strcmp(part, "speed") == 0)
        return check_speed();
    if (strcmp(part, "fork") == 0)
        return check_fork();
    if (strcmp(part, "exit") == 0)
        return check_exit();
    fprintf(stderr, "usage: gpu-probe driver|queries|fields|speed|fork|exit\n");
    return 2;
}
