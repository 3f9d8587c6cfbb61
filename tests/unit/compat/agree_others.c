/*
 * Agreement of calls that look something up, set something, or wait.
 */
#include "agree.h"

#include <nvpulse/sim.h>

#define OURS(name) #name, (any_fn *)nvp_##name

static void run_uuid(const struct agreement *agreement, const struct source *source)
{
    typedef nvmlReturn_t find_fn(const char *uuid, nvmlDevice_t *device);
    for (unsigned int i = 0; i < device_total(); i++) {
        nvmlUUID_t uuid = { .version = nvmlUUID_v1, .type = NVML_UUID_TYPE_ASCII };
        nvmlDevice_t device = NULL;
        nvmlDevice_t own = NULL;
        nvp_value value = NVP_VALUE_INIT;
        assert_int_equal(nvp_nvmlDeviceGetUUID(device_at(i), uuid.value.str, sizeof(uuid.value.str)), NVML_SUCCESS);
        assert_int_equal(((find_fn *)own_function(source->name))(uuid.value.str, &own), NVML_SUCCESS);
        assert_int_equal(nvp_nvmlDeviceGetHandleByUUIDV(&uuid, &device), NVML_SUCCESS);
        assert_ptr_equal(device, own);
        assert_status(nvp_query(agreement->wanted, NVP_ARGS(nvp_arg_data(&uuid, sizeof(uuid))), NULL, &value), NVP_SUCCESS);
        assert_int_equal(value.kind, NVP_KIND_HANDLE);
        assert_ptr_equal(value.as.handle, own);
        nvp_value_clear(&value);
        count_answer();
    }
}

/* The older function asks for the number of a profile, the newer one for its id. */
static void run_profile_by_id(const struct agreement *agreement, const struct source *source)
{
    bool is_plain = strcmp(source->name, "nvmlDeviceGetGpuInstanceProfileInfo") == 0;
    for (unsigned int i = 0; i < device_total() * NVML_GPU_INSTANCE_PROFILE_COUNT; i++) {
        struct subject subject = { device_at(i / NVML_GPU_INSTANCE_PROFILE_COUNT), i % NVML_GPU_INSTANCE_PROFILE_COUNT };
        nvmlGpuInstanceProfileInfo_t plain = { 0 };
        nvmlGpuInstanceProfileInfo_v2_t own = { .version = nvmlGpuInstanceProfileInfo_v2 };
        nvmlGpuInstanceProfileInfo_v2_t answer = { .version = nvmlGpuInstanceProfileInfo_v2 };
        nvp_value value = NVP_VALUE_INIT;
        if (call_numbered(own_function(source->name), &subject, is_plain ? (void *)&plain : (void *)&own) != NVML_SUCCESS) {
            continue;
        }
        subject.number = is_plain ? plain.id : own.id;
        assert_int_equal(call_numbered(agreement->ours, &subject, &answer), NVML_SUCCESS);
        assert_agreeing_fields("nvmlGpuInstanceProfileInfo_v2_t", &answer,
                               is_plain ? "nvmlGpuInstanceProfileInfo_t" : "nvmlGpuInstanceProfileInfo_v2_t",
                               is_plain ? (void *)&plain : (void *)&own, NULL);
        assert_int_equal(by_name(agreement, &subject, &value), NVML_SUCCESS);
        assert_same_fields("nvmlGpuInstanceProfileInfo_v2_t", nvp_value_data(&value, &(size_t){ 0 }), &answer);
        nvp_value_clear(&value);
        count_answer();
    }
}

/* Each sets a limit of its own, which the driver then tells. */
static void run_power_limit(const struct agreement *agreement, const struct source *source)
{
    typedef nvmlReturn_t set_fn(nvmlDevice_t device, unsigned int limit_mw);
    for (unsigned int i = 0; i < device_total(); i++) {
        nvmlPowerValue_v2_t value = { .version = nvmlPowerValue_v2, .powerScope = NVML_POWER_SCOPE_GPU };
        nvp_query_options options = { sizeof(options), NVP_QUERY_KEEP_ERRORS, NULL };
        nvp_value nothing = NVP_VALUE_INIT;
        unsigned int least_mw;
        unsigned int most_mw;
        unsigned int limit_mw = 0;
        if (nvp_nvmlDeviceGetPowerManagementLimitConstraints(device_at(i), &least_mw, &most_mw) != NVML_SUCCESS) {
            continue;
        }
        value.powerValueMw = least_mw + 1000;
        nvmlReturn_t status = ((set_fn *)own_function(source->name))(device_at(i), least_mw);
        assert_int_equal(nvp_nvmlDeviceSetPowerManagementLimit_v2(device_at(i), &value), status);
        assert_int_equal(nvp_nvmlDeviceGetPowerManagementLimit(device_at(i), &limit_mw), NVML_SUCCESS);
        assert_true(status != NVML_SUCCESS || limit_mw == least_mw + 1000);
        value.powerValueMw = most_mw;
        assert_int_equal(nvp_query(agreement->wanted, NVP_ARGS(nvp_arg_handle(device_at(i)), nvp_arg_data(&value, sizeof(value))),
                                   &options, &nothing),
                         status);
        assert_int_equal(nvp_nvmlDeviceGetPowerManagementLimit(device_at(i), &limit_mw), NVML_SUCCESS);
        assert_true(status != NVML_SUCCESS || limit_mw == most_mw);
        nvp_value_clear(&nothing);
        count_answer();
    }
}

static void run_power_profiles(const struct agreement *agreement, const struct source *source)
{
    nvmlWorkloadPowerProfileUpdateProfiles_v1_t update = { .operation = NVML_POWER_PROFILE_OPERATION_SET };
    nvmlWorkloadPowerProfileRequestedProfiles_v1_t own = { .version = nvmlWorkloadPowerProfileRequestedProfiles_v1 };
    nvp_query_options options = { sizeof(options), NVP_QUERY_KEEP_ERRORS, NULL };
    nvp_value nothing = NVP_VALUE_INIT;
    struct subject subject = { device_at(0), 0 };
    nvmlReturn_t status = call_plain(own_function(source->name), &subject, &own);
    assert_int_equal(call_plain(agreement->ours, &subject, &update), status);
    assert_int_equal(nvp_query(agreement->wanted, NVP_ARGS(nvp_arg_handle(subject.device), nvp_arg_data(&update, sizeof(update))),
                               &options, &nothing),
                     status);
    nvp_value_clear(&nothing);
}

/* An event for each of the three that wait. */
static void run_event(const struct agreement *agreement, const struct source *source)
{
    typedef nvmlReturn_t wait_fn(nvmlEventSet_t set, nvp_EventData_v1_t * data, unsigned int timeout_ms);
    nvmlEventSet_t set;
    nvmlEventData_t data;
    nvp_EventData_v1_t own;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value code = NVP_VALUE_INIT;
    nvpsim_post_event_fn *post = (nvpsim_post_event_fn *)own_function("nvpsim_post_event");
    assert_int_equal(nvp_nvmlEventSetCreate(&set), NVML_SUCCESS);
    assert_int_equal(nvp_nvmlDeviceRegisterEvents(device_at(0), nvmlEventTypeXidCriticalError, set), NVML_SUCCESS);
    for (unsigned int i = 0; i < 3; i++) {
        assert_int_equal(post(0, nvmlEventTypeXidCriticalError, 79), 1);
    }
    assert_int_equal(((wait_fn *)own_function(source->name))(set, &own, 0), NVML_SUCCESS);
    assert_int_equal(nvp_nvmlEventSetWait_v2(set, &data, 0), NVML_SUCCESS);
    assert_agreeing_fields("nvmlEventData_t", &data, "nvp_EventData_v1_t", &own, " eventData ");
    assert_true(data.eventData == own.reserved); /* as the word was called before */
    assert_status(nvp_query(agreement->wanted, NVP_ARGS(nvp_arg_handle(set), nvp_arg_uint(0)), NULL, &value), NVP_SUCCESS);
    assert_status(nvp_value_field(&value, "eventData", &code), NVP_SUCCESS);
    assert_int_equal(nvp_value_uint(&code, 0), 79);
    assert_int_equal(nvp_nvmlEventSetFree(set), NVML_SUCCESS);
    nvp_value_clear(&code);
    nvp_value_clear(&value);
    count_answer();
}

/* The simulator has no virtual GPU: all devices say so in one way. */
static void run_active_vgpus(const struct agreement *agreement, const struct source *source)
{
    typedef nvmlReturn_t active_fn(nvmlDevice_t device, unsigned int *count, void *instances);
    active_fn *active = (active_fn *)own_function("nvmlDeviceGetActiveVgpus");
    assert_non_null(own_function(source->name));
    for (unsigned int i = 0; i < device_total(); i++) {
        nvmlActiveVgpuInstanceInfo_v1_t info = { .version = nvmlActiveVgpuInstanceInfo_v1 };
        nvmlGpuInstance_t instance = instance_on(device_at(i));
        unsigned int count = 0;
        if (instance != NULL) {
            nvp_value value = NVP_VALUE_INIT;
            nvp_query_options options = { sizeof(options), NVP_QUERY_KEEP_ERRORS, NULL };
            nvmlReturn_t status = active(device_at(i), &count, NULL);
            assert_int_equal(nvp_nvmlGpuInstanceGetActiveVgpus(instance, &info), status);
            assert_int_equal(nvp_query(agreement->wanted, NVP_ARGS(nvp_arg_handle(instance)), &options, &value), status);
            nvp_value_clear(&value);
            count_answer();
        }
    }
}

/* Sets of every size. The words of 340 have 32 bits: twice as many of them are as many CPUs. */
static void run_affinity(const struct agreement *agreement, const struct source *source)
{
    typedef nvmlReturn_t set_fn(nvmlDevice_t device, unsigned int size, unsigned long *set);
    bool in_node = strcmp(agreement->wanted, source->name) != 0;
    unsigned int each = own_function("nvmlDeviceGetTopologyCommonAncestor") == NULL ? 2 : 1;
    nvp_arg node = nvp_arg_uint(NVML_AFFINITY_SCOPE_NODE);
    for (unsigned int i = 0; i < device_total() * 4; i++) {
        nvmlDevice_t device = device_at(i / 4);
        unsigned int size = i % 4 + 1;
        unsigned long set[4] = { 0 };
        unsigned long own[4] = { 0 };
        nvmlReturn_t status = in_node ? nvp_nvmlDeviceGetCpuAffinityWithinScope(device, size, set, NVML_AFFINITY_SCOPE_NODE)
                                      : nvp_nvmlDeviceGetCpuAffinity(device, size, set);
        assert_int_equal(status, ((set_fn *)own_function(source->name))(device, size * each, own));
        assert_memory_equal(set, own, sizeof(set));
        if (status == NVML_SUCCESS && size == 4) {
            nvp_value value = NVP_VALUE_INIT;
            nvp_value item = NVP_VALUE_INIT;
            const nvp_arg arguments[] = { nvp_arg_handle(device), node };
            assert_status(nvp_query(agreement->wanted, arguments, in_node ? 2 : 1, NULL, &value), NVP_SUCCESS);
            assert_true(value.count > 0);
            for (size_t j = 0; j < 4; j++) { /* the list may end before the words that are 0 */
                assert_true(j >= value.count || nvp_value_at(&value, j, &item) == NVP_SUCCESS);
                assert_true(j < value.count ? nvp_value_uint(&item, ~set[j]) == set[j] : set[j] == 0);
            }
            nvp_value_clear(&item);
            nvp_value_clear(&value);
            count_answer();
        }
    }
}

/* As the newest header numbers them, and as this driver does. */
static void run_fields(const struct agreement *agreement, const struct source *source)
{
    typedef nvmlReturn_t fields_fn(nvmlDevice_t device, int count, nvmlFieldValue_t *values);
    (void)source;
    for (unsigned int id = 240; id < 280; id++) {
        bool smoothing = id >= NVML_FI_PWR_SMOOTHING_ENABLED && id <= NVML_FI_PWR_SMOOTHING_ADMIN_OVERRIDE_RAMP_DOWN_HYST_VAL;
        bool moved = id >= NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN && id <= NVML_FI_DEV_POWER_SYNC_BALANCING_AF;
        nvmlFieldValue_t answer = { .fieldId = id };
        nvmlFieldValue_t own = { .fieldId = smoothing ? id + 5 : moved ? id - 18 : id };
        nvmlReturn_t status = ((fields_fn *)own_function(agreement->wanted))(device_at(0), 1, &own);
        assert_int_equal(((fields_fn *)agreement->ours)(device_at(0), 1, &answer), status);
        assert_int_equal(answer.fieldId, id);
        assert_int_equal(answer.nvmlReturn, own.nvmlReturn);
        if (status == NVML_SUCCESS && own.nvmlReturn == NVML_SUCCESS) {
            assert_int_equal(answer.valueType, own.valueType);
            assert_true(answer.value.ullVal == own.value.ullVal);
            count_answer();
        }
    }
}

const struct agreement other_agreements[] = {
    { OURS(nvmlDeviceGetHandleByUUIDV), .run = run_uuid, .answered_on = "h100x8",
      .sources = { { .name = "nvmlDeviceGetHandleByUUID" } } },
    { OURS(nvmlDeviceGetGpuInstanceProfileInfoByIdV), .run = run_profile_by_id, .arguments = arguments_numbered,
      .answered_on = "a100-mig",
      .sources = { { .name = "nvmlDeviceGetGpuInstanceProfileInfoV" }, { .name = "nvmlDeviceGetGpuInstanceProfileInfo" } } },
    { OURS(nvmlDeviceSetPowerManagementLimit_v2), .run = run_power_limit, .answered_on = "h100x8",
      .sources = { { .name = "nvmlDeviceSetPowerManagementLimit" } } },
    { OURS(nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1), .run = run_power_profiles,
      .sources = { { .name = "nvmlDeviceWorkloadPowerProfileSetRequestedProfiles" } } },
    { OURS(nvmlEventSetWait_v2), .run = run_event, .answered_on = "h100x8", .sources = { { .name = "nvmlEventSetWait" } } },
    { OURS(nvmlGpuInstanceGetActiveVgpus), .run = run_active_vgpus, .answered_on = "a100-mig",
      .sources = { { .name = "nvmlVgpuInstanceGetGpuInstanceId" } } },
    { OURS(nvmlDeviceGetCpuAffinity), .run = run_affinity, .answered_on = "h100x8",
      .sources = { { .name = "nvmlDeviceGetCpuAffinity" } } },
    { OURS(nvmlDeviceGetCpuAffinityWithinScope), .run = run_affinity, .answered_on = "h100x8",
      .sources = { { .name = "nvmlDeviceGetCpuAffinity" } } },
    { OURS(nvmlDeviceGetFieldValues), .run = run_fields, .sources = { { .name = "nvmlDeviceGetFieldValues" } } },
    { OURS(nvmlDeviceClearFieldValues), .run = run_fields, .sources = { { .name = "nvmlDeviceClearFieldValues" } } },
    { NULL },
};
