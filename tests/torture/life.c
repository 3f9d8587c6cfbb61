/*
 * What a program can do with the library, all of it, whatever fails meanwhile.
 */
#include "life.h"

#include "calls.h"
#include "cases.h"

#include <string.h>

#define LONG_LIST 500    /* records: more than the stack of any adapter holds */
#define MANY_METRICS 120 /* more than the oldest driver takes at once */
#define MANY_FIELDS 100

static struct call call;

/* The value read in every form, and copied. */
static void read_value(const nvp_value *value, int depth)
{
    static char text[1 << 16];
    nvp_value copy = NVP_VALUE_INIT;
    nvp_value item = NVP_VALUE_INIT;
    CHECK(value->kind != NVP_KIND_NA || value->reason != NVP_REASON_NONE);
    nvp_value_json(value, text, sizeof(text));
    CHECK(memchr(text, '\0', sizeof(text)) != NULL);
    nvp_value_format(value, text, sizeof(text));
    if (nvp_value_copy(&copy, value) == NVP_SUCCESS) {
        CHECK(copy.kind == value->kind && copy.count == value->count);
    }
    nvp_value_clear(&copy);
    for (size_t i = 0; depth < 2 && i < 3; i++) {
        if (nvp_value_at(value, i, &item) == NVP_SUCCESS) {
            read_value(&item, depth + 1);
        }
        nvp_value_clear(&item);
    }
}

/* TEST_LEFT_OUT: a part of the names of functions that this driver answers by a list without end. */
static bool is_left_out(const struct nvp__function *row)
{
    const char *part = getenv("TEST_LEFT_OUT");
    return (row->flags & NVP_FN_SESSION) != 0 || (part != NULL && strstr(row->public.name, part) != NULL);
}

static void query_every_function(nvmlDevice_t device)
{
    nvp_arg arguments[NVP__PARAMS_MAX];
    for (size_t i = 0; i < NVP_FN_COUNT; i++) {
        const struct nvp__function *row = &nvp__functions[i];
        nvp_value value = NVP_VALUE_INIT;
        if (is_left_out(row)) {
            continue;
        }
        call_prepare(&call, row, device);
        nvp_query(row->public.name, arguments, call_arguments(&call, arguments), NULL, &value);
        read_value(&value, 0);
        nvp_value_clear(&value);
    }
}

/* Outputs may only be looked at after a success. */
static void read_long_lists(nvmlDevice_t device)
{
    static nvmlProcessInfo_t infos[LONG_LIST];
    static nvmlProcessUtilizationSample_t samples[LONG_LIST];
    static nvmlVgpuProcessUtilizationSample_t vgpu_processes[LONG_LIST];
    static nvmlVgpuInstanceUtilizationSample_t vgpus[LONG_LIST];
    typedef nvmlReturn_t list_fn(nvmlDevice_t device, unsigned int *count, void *infos);
    list_fn *const lists[] = { (list_fn *)nvp_nvmlDeviceGetComputeRunningProcesses,
                               (list_fn *)nvp_nvmlDeviceGetComputeRunningProcesses_v2,
                               (list_fn *)nvp_nvmlDeviceGetComputeRunningProcesses_v3,
                               (list_fn *)nvp_nvmlDeviceGetGraphicsRunningProcesses_v3,
                               (list_fn *)nvp_nvmlDeviceGetMPSComputeRunningProcesses_v3 };
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        unsigned int count = LONG_LIST;
        memset(infos, 0, sizeof(infos));
        if (lists[i](device, &count, infos) == NVML_SUCCESS) {
            CHECK(count <= LONG_LIST && (count == 0 || infos[0].pid > 0));
        } else {
            CHECK(infos[0].pid == 0);
        }
    }
    nvmlValueType_t type;
    unsigned int count = LONG_LIST;
    nvmlDeviceGetProcessUtilization(device, samples, &count, 0);
    count = LONG_LIST;
    nvmlDeviceGetVgpuProcessUtilization(device, 0, &count, vgpu_processes);
    count = LONG_LIST;
    nvmlDeviceGetVgpuUtilization(device, 0, &type, &count, vgpus);
    nvmlProcessDetailList_t details = { .version = nvmlProcessDetailList_v1, .numProcArrayEntries = LONG_LIST };
    details.procArray = calloc(LONG_LIST, sizeof(*details.procArray));
    if (details.procArray != NULL) {
        nvmlDeviceGetRunningProcessDetailList(device, &details);
    }
    free(details.procArray);
}

static void read_fields(nvmlDevice_t device)
{
    static nvp_field fields[MANY_FIELDS];
    for (unsigned int i = 0; i < MANY_FIELDS; i++) {
        fields[i] = (nvp_field)NVP_FIELD_OF(i + 1, 0);
    }
    nvp_query_fields(device, fields, MANY_FIELDS);
    for (unsigned int i = 0; i < MANY_FIELDS; i++) {
        read_value(&fields[i].value, 0);
    }
}

static void read_gpm_metrics(nvmlDevice_t device)
{
    static nvmlGpmMetricsGet_t request;
    memset(&request, 0, sizeof(request));
    request.version = NVML_GPM_METRICS_GET_VERSION;
    request.numMetrics = MANY_METRICS;
    for (unsigned int i = 0; i < MANY_METRICS; i++) {
        request.metrics[i].metricId = 1 + i % 10;
    }
    bool has_samples =
        nvmlGpmSampleAlloc(&request.sample1) == NVML_SUCCESS && nvmlGpmSampleAlloc(&request.sample2) == NVML_SUCCESS;
    if (has_samples) {
        nvmlGpmSampleGet(device, request.sample1);
        nvmlGpmSampleGet(device, request.sample2);
        nvmlGpmMetricsGet(&request);
    }
    if (request.sample1 != NULL) {
        nvmlGpmSampleFree(request.sample1);
    }
    if (request.sample2 != NULL) {
        nvmlGpmSampleFree(request.sample2);
    }
}

static void read_texts(void)
{
    static char long_text[4096];
    nvp_value value = NVP_VALUE_INIT;
    memset(long_text, 0xff, sizeof(long_text) - 1); /* no UTF-8: each byte becomes three */
    nvp_value_set_text(&value, long_text);
    read_value(&value, 0);
    nvp_value_clear(&value);
    nvp_query("nvmlNoSuchFunction", NULL, 0, NULL, &value);
    read_value(&value, 0);
    nvp_value_clear(&value);
    for (size_t i = 0; i < nvp_unknown_function_count(); i++) {
        CHECK(nvp_unknown_function_name(i) != NULL);
    }
}

static void describe_driver(void)
{
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    nvp_candidate candidate;
    nvp_driver_find();
    CHECK_STATUS(nvp_driver_get_info(&info), NVP_SUCCESS);
    CHECK(!info.loaded || info.path != NULL);
    for (size_t i = 0; i < nvp_driver_candidate_count(); i++) {
        CHECK_STATUS(nvp_driver_get_candidate(i, &candidate), NVP_SUCCESS);
    }
}

void life_live(void)
{
    nvmlDevice_t device = NULL;
    unsigned int power_mw = 0;
    describe_driver();
    bool counted = nvp_init() == NVP_SUCCESS;
    nvp_scope scope = nvp_scope_begin();
    nvmlDeviceGetHandleByIndex(0, &device);
    if (nvmlDeviceGetPowerUsage(device, &power_mw) == NVML_SUCCESS) {
        CHECK(power_mw > 0);
    }
    query_every_function(device);
    read_long_lists(device);
    read_fields(device);
    read_gpm_metrics(device);
    read_texts();
    nvp_scope_end(&scope);
    if (counted) {
        nvp_shutdown();
    }
}
