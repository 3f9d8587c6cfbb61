/*
 * Profile files of nvml-mock, which others wrote and which are no part of this project, load as they are.
 * Where they are not at hand the test is skipped: exit status 77.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *folder;

/* Keys of these files that mean nothing here: each is told once. */
#define SYSTEM_UNUSED                                                                                                            \
    "system.driver_version, system.nvml_version, system.cuda_version, system.cuda_version_major, system.cuda_version_minor"
#define DEVICE_UNUSED ", memory.free_bytes, bar1_memory.free_bytes, retired_pages.pending_blacklist"

static void test_foreign__files_of_nvml_mock_load_unchanged(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name;
        unsigned devices;
        const char *unused;
    } files[] = { { "a100.yaml", "NVIDIA A100-SXM4-40GB", 8, SYSTEM_UNUSED DEVICE_UNUSED ", infiniband" },
                  { "t4.yaml", "NVIDIA T4", 4, SYSTEM_UNUSED ", dynamic_metrics_defaults" DEVICE_UNUSED ", infiniband" },
                  { "gb200.yaml", "NVIDIA GB200", 8,
                    SYSTEM_UNUSED ", dynamic_metrics_defaults" DEVICE_UNUSED
                                  ", features, grace_superchip, infiniband, grace_cpu_pair" } };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[512], name[96], uuid[96];
        unsigned count;
        snprintf(path, sizeof path, "%s/%s", folder, files[i].file);
        sim_load_file(path);
        sim_init();
        SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&count));
        assert_int_equal(count, files[i].devices);
        SUCCEEDS(CALL(nvmlDeviceGetName)(sim_device(count - 1), name, sizeof name));
        assert_string_equal(name, files[i].name);
        SUCCEEDS(CALL(nvmlDeviceGetUUID)(sim_device(count - 1), uuid, sizeof uuid));
        assert_int_equal(uuid[39] - '0', (int)count - 1);
        assert_string_equal(CALL(nvpsim_unused_keys)(), files[i].unused);
        char message[1024], expected[1024];
        assert_int_equal(CALL(nvpsim_check_scenario)(path, message, sizeof message), 0);
        snprintf(expected, sizeof expected, "%s: known, not used: %s", path, files[i].unused);
        assert_string_equal(message, expected);
        SUCCEEDS(CALL(nvmlShutdown)());
        sim_unload(NULL);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_foreign__files_of_nvml_mock_load_unchanged, sim_unload),
    };
    int status = sim_arguments(count, arguments);
    folder = getenv("NVML_MOCK_PROFILES");
    if (!status && (!folder || access(folder, R_OK) != 0)) {
        printf("skipped: no nvml-mock profiles in %s\n", folder ? folder : "$NVML_MOCK_PROFILES");
        return 77;
    }
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
