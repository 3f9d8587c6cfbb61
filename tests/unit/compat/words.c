/*
 * Structs with a version word of which the library knows one and refuses another: the caller gets the version that it asked for,
 * and once a refusal is known the library is not asked again.
 */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEVICE device_at(0)
#define INSTANCE instance_of(1)

static void refuse(unsigned int word, nvmlReturn_t answer)
{
    ((void (*)(unsigned int, nvmlReturn_t))whole_function("family_refuse"))(word, answer);
}

static unsigned int calls(void)
{
    return ((unsigned int (*)(void))whole_function("family_calls"))();
}

static bool has_fallback(const char *function)
{
    return nvp_function_fallback(nvp_function_find(function)) != NULL;
}

static const char *original; /* the masked driver as it was built */
static char folder[] = "words-XXXXXX";
static char path[64]; /* a copy of it: what the library finds */

static void write_copy(void)
{
    char temporary[80];
    char buffer[65536];
    size_t length;
    snprintf(temporary, sizeof(temporary), "%s.new", path);
    FILE *from = fopen(original, "rb");
    FILE *to = fopen(temporary, "wb");
    assert_true(from != NULL && to != NULL);
    while ((length = fread(buffer, 1, sizeof(buffer), from)) > 0) {
        assert_int_equal(fwrite(buffer, 1, length, to), length);
    }
    fclose(from);
    assert_int_equal(fclose(to), 0);
    assert_int_equal(rename(temporary, path), 0);
}

/* Another file in the place of the library is loaded: what was learned about the one before is forgotten. */
static int load_anew(void **state)
{
    (void)state;
    refuse(0, NVML_SUCCESS);
    write_copy();
    return nvp_shutdown() == NVP_SUCCESS && nvp_init() == NVP_SUCCESS ? 0 : -1;
}

static int remove_copy(void **state)
{
    (void)state;
    return unlink(path) == 0 && rmdir(folder) == 0 ? 0 : -1;
}

#define FABRIC "nvmlDeviceGetGpuFabricInfoV"

static void test_words__newer_struct_of_a_driver_that_refuses_it(void **state)
{
    nvmlGpuFabricInfo_v3_t info = { .version = nvmlGpuFabricInfo_v3 };
    (void)state;
    assert_false(has_fallback(FABRIC));
    refuse(nvmlGpuFabricInfo_v3, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    unsigned int before = calls();
    assert_int_equal(nvp_nvmlDeviceGetGpuFabricInfoV(DEVICE, &info), NVML_SUCCESS);
    assert_int_equal(calls() - before, 2);
    assert_int_equal(info.version, nvmlGpuFabricInfo_v3);
    assert_int_equal(info.cliqueId, 9);
    assert_int_equal(info.clusterUuid[14], 0x0f);
    assert_int_equal(info.state, NVML_GPU_FABRIC_STATE_COMPLETED);
    assert_int_equal(info.healthMask, 0x55);
    assert_int_equal(info.healthSummary, NVML_GPU_FABRIC_HEALTH_SUMMARY_NOT_SUPPORTED);
    assert_true(is_served_by(FABRIC, FABRIC));
    before = calls();
    assert_int_equal(nvp_nvmlDeviceGetGpuFabricInfoV(DEVICE, &info), NVML_SUCCESS);
    assert_int_equal(calls() - before, 1);
    nvmlGpuFabricInfo_v2_t older = { .version = nvmlGpuFabricInfo_v2 };
    assert_int_equal(nvp_nvmlDeviceGetGpuFabricInfoV(DEVICE, (void *)&older), NVML_SUCCESS);
    assert_int_equal(older.healthMask, 0x55);
}

static void test_words__older_struct_of_a_driver_that_dropped_it(void **state)
{
    ROOMY(nvmlComputeInstanceProfileInfo_v2_t) older;
    (void)state;
    memset(&older, FILL, sizeof(older));
    older.value.version = nvmlComputeInstanceProfileInfo_v2;
    refuse(nvmlComputeInstanceProfileInfo_v2, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(nvp_nvmlGpuInstanceGetComputeInstanceProfileInfoV(INSTANCE, 1, 0, &older.value), NVML_SUCCESS);
    assert_int_equal(older.value.version, nvmlComputeInstanceProfileInfo_v2);
    assert_int_equal(older.value.id, 21);
    assert_string_equal(older.value.name, "MIG 1c.1g.10gb");
    ASSERT_UNTOUCHED(older.beyond, sizeof(older.beyond));
}

static void test_words__compute_instance_profile_without_capabilities(void **state)
{
    nvmlComputeInstanceProfileInfo_v3_t newer = { .version = nvmlComputeInstanceProfileInfo_v3, .capabilities = 77 };
    (void)state;
    refuse(nvmlComputeInstanceProfileInfo_v3, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(nvp_nvmlGpuInstanceGetComputeInstanceProfileInfoV(INSTANCE, 1, 0, (void *)&newer), NVML_SUCCESS);
    assert_string_equal(newer.name, "MIG 1c.1g.10gb");
    assert_int_equal(newer.sharedOfaCount, 5);
    assert_int_equal(newer.capabilities, 0);
}

/* Drivers before 525 have no code of its own for an unknown version. */
static void test_words__refusal_by_an_older_code(void **state)
{
    nvmlGpuInstanceProfileInfo_v3_t newer = { .version = nvmlGpuInstanceProfileInfo_v3 };
    (void)state;
    refuse(nvmlGpuInstanceProfileInfo_v3, NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstanceProfileInfoV(DEVICE, 1, (void *)&newer), NVML_SUCCESS);
    assert_int_equal(newer.version, nvmlGpuInstanceProfileInfo_v3);
    assert_string_equal(newer.name, "MIG 1g.10gb");
    assert_int_equal(newer.memorySizeMB, 9856);
    assert_int_equal(newer.capabilities, NVML_GPU_INSTANCE_PROFILE_CAPS_P2P);
}

static void test_words__older_gpu_instance_profile(void **state)
{
    nvmlGpuInstanceProfileInfo_v2_t older = { .version = nvmlGpuInstanceProfileInfo_v2 };
    nvmlGpuInstanceProfileInfo_t plain;
    (void)state;
    refuse(nvmlGpuInstanceProfileInfo_v2, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstanceProfileInfoV(DEVICE, 3, &older), NVML_SUCCESS);
    assert_int_equal(older.version, nvmlGpuInstanceProfileInfo_v2);
    assert_int_equal(older.isP2pSupported, 1);
    assert_int_equal(older.ofaCount, 5);
    assert_string_equal(older.name, "MIG 1g.10gb");
    assert_int_equal(nvp_nvmlDeviceGetGpuInstanceProfileInfo(DEVICE, 3, &plain), NVML_SUCCESS);
}

static void test_words__answers_that_are_no_refusal_stay(void **state)
{
    nvmlGpuFabricInfo_v3_t fabric = { .version = nvmlGpuFabricInfo_v3 };
    nvmlGpuInstanceProfileInfo_v2_t profile = { .version = nvmlGpuInstanceProfileInfo_v2 };
    nvmlGpuFabricInfo_v3_t odd = { .version = 3 };
    (void)state;
    assert_int_equal(nvp_nvmlDeviceGetGpuFabricInfoV((nvmlDevice_t)(void *)&fabric, &fabric), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetGpuFabricInfoV(DEVICE, NULL), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetGpuFabricInfoV(DEVICE, &odd), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstanceProfileInfoV(DEVICE, 2, &profile), NVML_ERROR_NOT_SUPPORTED);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstanceProfileInfoV(DEVICE, 99, &profile), NVML_ERROR_INVALID_ARGUMENT);
    fail_all_calls(NVML_ERROR_NO_PERMISSION);
    assert_int_equal(nvp_nvmlDeviceGetGpuFabricInfoV(DEVICE, &fabric), NVML_ERROR_NO_PERMISSION);
    fail_all_calls(NVML_SUCCESS);
}

static void test_words__placements(void **state)
{
    unsigned int ids[4] = { 0 };
    nvmlVgpuPlacementList_v2_t list = { .version = nvmlVgpuPlacementList_v2, .mode = NVML_VGPU_PGPU_HETEROGENEOUS_MODE };
    (void)state;
    refuse(nvmlVgpuPlacementList_v2, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(nvp_nvmlDeviceGetVgpuTypeSupportedPlacements(DEVICE, 500, &list), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(list.count, 3);
    list.placementIds = ids;
    assert_int_equal(nvp_nvmlDeviceGetVgpuTypeSupportedPlacements(DEVICE, 500, &list), NVML_SUCCESS);
    assert_int_equal(list.placementSize, 8);
    assert_int_equal(ids[2], 16);
    assert_int_equal(nvp_nvmlDeviceGetVgpuTypeCreatablePlacements(DEVICE, 500, &list), NVML_SUCCESS);
    assert_int_equal(ids[2], 24);
    assert_true(is_served_by("nvmlDeviceGetVgpuTypeSupportedPlacements", "nvmlDeviceGetVgpuTypeSupportedPlacements"));
    list.mode = NVML_VGPU_PGPU_HOMOGENEOUS_MODE;
    assert_int_equal(nvp_nvmlDeviceGetVgpuTypeSupportedPlacements(DEVICE, 500, &list), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(list.version, nvmlVgpuPlacementList_v2);
    nvmlVgpuPlacementList_v1_t older = { .version = nvmlVgpuPlacementList_v1, .count = 4, .placementIds = ids };
    assert_int_equal(nvp_nvmlDeviceGetVgpuTypeSupportedPlacements(DEVICE, 500, (void *)&older), NVML_SUCCESS);
    assert_int_equal(older.count, 3);
}

static void test_words__by_name_gets_the_version_that_the_driver_knows(void **state)
{
    nvp_value value = NVP_VALUE_INIT;
    nvp_value mask = NVP_VALUE_INIT;
    nvp_arg device = nvp_arg_handle(DEVICE);
    (void)state;
    refuse(nvmlGpuFabricInfo_v3, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_status(nvp_query(FABRIC, &device, 1, NULL, &value), NVP_SUCCESS);
    assert_status(nvp_value_field(&value, "healthMask", &mask), NVP_SUCCESS);
    assert_int_equal(mask.as.uint_value, 0x55);
    nvp_value_clear(&mask);
    nvp_value_clear(&value);
}

static void test_words__what_was_learned_is_forgotten_with_the_library(void **state)
{
    nvmlGpuFabricInfo_v3_t info = { .version = nvmlGpuFabricInfo_v3 };
    (void)state;
    refuse(nvmlGpuFabricInfo_v3, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(nvp_nvmlDeviceGetGpuFabricInfoV(DEVICE, &info), NVML_SUCCESS);
    assert_true(has_fallback(FABRIC));
    assert_int_equal(load_anew(NULL), 0);
    assert_false(has_fallback(FABRIC));
    assert_int_equal(nvp_nvmlDeviceGetGpuFabricInfoV(DEVICE, &info), NVML_SUCCESS);
    assert_int_equal(info.healthSummary, NVML_GPU_FABRIC_HEALTH_SUMMARY_HEALTHY);
    assert_false(has_fallback(FABRIC));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_words__newer_struct_of_a_driver_that_refuses_it, load_anew),
        cmocka_unit_test_setup(test_words__older_struct_of_a_driver_that_dropped_it, load_anew),
        cmocka_unit_test_setup(test_words__compute_instance_profile_without_capabilities, load_anew),
        cmocka_unit_test_setup(test_words__refusal_by_an_older_code, load_anew),
        cmocka_unit_test_setup(test_words__older_gpu_instance_profile, load_anew),
        cmocka_unit_test_setup(test_words__answers_that_are_no_refusal_stay, load_anew),
        cmocka_unit_test_setup(test_words__placements, load_anew),
        cmocka_unit_test_setup(test_words__by_name_gets_the_version_that_the_driver_knows, load_anew),
        cmocka_unit_test_setup(test_words__what_was_learned_is_forgotten_with_the_library, load_anew),
    };
    original = getenv("NVPULSE_NVML_PATH");
    if (original == NULL || mkdtemp(folder) == NULL) {
        return 1;
    }
    snprintf(path, sizeof(path), "%s/libnvidia-ml.so.1", folder);
    write_copy();
    setenv("NVPULSE_NVML_PATH", path, 1);
    nvp_log_set(NVP_LOG_ERROR, NULL, NULL);
    if (nvp_init() != NVP_SUCCESS) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, remove_copy);
}
