/*
 * The search for the library: what is tried, in which order, and why a candidate is passed over.
 */
#include "cases.h"

#include <nvpulse/device.h>
#include <nvpulse/snapshot.h>

#include <string.h>
#include <sys/stat.h>

static const char *argument_folder(void)
{
    const char *folder = getenv("TEST_LIBRARIES");
    CHECK(folder != NULL);
    return folder;
}

/* The candidate whose path ends like this, or NULL. */
static const nvp_candidate *candidate_ending(const char *ending)
{
    static nvp_candidate candidate;
    for (size_t i = 0; nvp_driver_get_candidate(i, &candidate) == NVP_SUCCESS; i++) {
        size_t length = strlen(candidate.path);
        size_t tail = strlen(ending);
        if (length >= tail && strcmp(candidate.path + length - tail, ending) == 0) {
            return &candidate;
        }
    }
    return NULL;
}

static void name_library(const char *path)
{
    char full[4096];
    snprintf(full, sizeof(full), "%s/%s", argument_folder(), path);
    setenv("NVPULSE_NVML_PATH", full, 1);
}

static void named_file_is_used(void)
{
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    CHECK_STATUS(nvp_driver_find(), NVP_SUCCESS);
    CHECK_STATUS(nvp_driver_get_info(&info), NVP_SUCCESS);
    CHECK(info.loaded && info.simulated && info.simulation != NULL && info.function_count > 100);
    CHECK(strcmp(info.origin, "NVPULSE_NVML_PATH") == 0);
    CHECK(info.path[0] == '/' && access(info.path, R_OK) == 0);
    CHECK(nvp_driver_candidate_count() == 1 && candidate_ending("libnvidia-ml.so.1")->reason == NULL);
    CHECK(nvp_get_state() == NVP_STATE_COLD && control_init_calls() == 0);
}

static void named_folder_is_used(void)
{
    char *path = strdup(getenv("NVPULSE_NVML_PATH"));
    CHECK(path != NULL);
    *strrchr(path, '/') = '\0';
    setenv("NVPULSE_NVML_PATH", path, 1);
    CHECK_STATUS(nvp_driver_find(), NVP_SUCCESS);
    free(path);
}

static void named_file_that_is_missing_is_not_replaced(void)
{
    name_library("no-such-file");
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    CHECK_STATUS(nvp_init(), NVP_ERROR_LIBRARY_BROKEN);
    CHECK(nvp_driver_candidate_count() == 1);
    CHECK(strstr(candidate_ending("no-such-file")->reason, "No such file") != NULL);
}

static void broken_file_is_reported_with_the_loaders_words(void)
{
    name_library("broken/libnvidia-ml.so.1");
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    CHECK_STATUS(nvp_init(), NVP_ERROR_LIBRARY_BROKEN);
    CHECK(strstr(candidate_ending("libnvidia-ml.so.1")->reason, "invalid ELF header") != NULL ||
          strstr(candidate_ending("libnvidia-ml.so.1")->reason, "file too short") != NULL);
    unsigned int count;
    CHECK_STATUS(nvmlDeviceGetCount(&count), NVML_ERROR_LIBRARY_NOT_FOUND);
}

static void snapshots_and_lists_tell_it_as_init_does(void)
{
    name_library("broken/libnvidia-ml.so.1");
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    nvp_snapshot *snapshot = NULL;
    nvp_device_list list;
    nvp_device *one = NULL;
    CHECK_STATUS(nvp_snapshot_take(NULL, &snapshot), NVP_ERROR_LIBRARY_BROKEN);
    CHECK_STATUS(nvp_device_list_get(&list), NVP_ERROR_LIBRARY_BROKEN);
    CHECK_STATUS(nvp_device_find("0", &one), NVP_ERROR_LIBRARY_BROKEN);
}

static void library_without_entry_points_is_passed_over(void)
{
    name_library("empty/libnvidia-ml.so.1");
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    CHECK_STATUS(nvp_init(), NVP_ERROR_LIBRARY_BROKEN);
    CHECK(strstr(candidate_ending("libnvidia-ml.so.1")->reason, "nvmlInit") != NULL);
}

static void stub_is_passed_over(const char *path)
{
    name_library(path);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    CHECK_STATUS(nvp_init(), NVP_ERROR_LIBRARY_BROKEN);
    CHECK(strstr(candidate_ending("libnvidia-ml.so.1")->reason, "stub") != NULL);
}

static void stub_is_known_by_its_folder(void)
{
    stub_is_passed_over("stubs/libnvidia-ml.so.1");
}

static void stub_is_known_by_its_text(void)
{
    stub_is_passed_over("stub-text/libnvidia-ml.so.1");
}

static void skip_where_a_library_is_installed(void)
{
    static const char *const places[] = { "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "/usr/lib64/libnvidia-ml.so.1",
                                          "/usr/lib/wsl/lib/libnvidia-ml.so.1" };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (access(places[i], F_OK) == 0) {
            printf("skipped: %s is installed\n", places[i]);
            exit(SKIPPED);
        }
    }
}

static void no_library_gives_every_candidate_with_its_reason(void)
{
    skip_where_a_library_is_installed();
    unsetenv("NVPULSE_NVML_PATH");
    watch_log("HINT: it comes with the NVIDIA display driver");
    unsigned int count;
    CHECK_STATUS(nvmlDeviceGetCount(&count), NVML_ERROR_LIBRARY_NOT_FOUND);
    CHECK_STATUS(nvmlDeviceGetCount(&count), NVML_ERROR_LIBRARY_NOT_FOUND);
    CHECK_STATUS(nvp_init(), NVML_ERROR_LIBRARY_NOT_FOUND);
    CHECK(watched_lines() == 1); /* the hint is given once */
    CHECK(nvp_driver_candidate_count() >= 10);
    CHECK(candidate_ending("/usr/lib/wsl/lib/libnvidia-ml.so.1") != NULL);
    CHECK(candidate_ending("/run/opengl-driver/lib/libnvidia-ml.so.1") != NULL);
    nvp_candidate candidate;
    for (size_t i = 0; nvp_driver_get_candidate(i, &candidate) == NVP_SUCCESS; i++) {
        CHECK(candidate.reason != NULL && candidate.origin != NULL);
    }
    CHECK_STATUS(nvp_driver_get_candidate(nvp_driver_candidate_count(), &candidate), NVP_ERROR_NO_SUCH_FIELD);
}

/* The runner puts the simulator's folder into LD_LIBRARY_PATH. */
static void loader_path_is_searched(void)
{
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    unsetenv("NVPULSE_NVML_PATH");
    CHECK_STATUS(nvp_driver_find(), NVP_SUCCESS);
    nvp_driver_get_info(&info);
    CHECK(info.simulated && strcmp(info.origin, "default") == 0);
}

static void symbol_gives_functions_that_the_table_lacks(void)
{
    CHECK(nvp_symbol("nvpsim_description") != NULL);
    CHECK(nvp_symbol("nvmlInternalGetExportTable") != NULL);
    CHECK(nvp_symbol("nvmlNoSuchFunction") == NULL);
    CHECK(nvp_symbol(NULL) == NULL);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
}

/* Run by a set-user-id copy of this program: the variable of an unprivileged caller must not choose the library. */
static void privileged_process_ignores_the_variable(void)
{
    CHECK(getenv("NVPULSE_NVML_PATH") != NULL);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    nvp_driver_find();
    nvp_candidate candidate;
    CHECK_STATUS(nvp_driver_get_candidate(0, &candidate), NVP_SUCCESS);
    CHECK(strcmp(candidate.origin, "NVPULSE_NVML_PATH") == 0);
    CHECK(candidate.reason != NULL && strstr(candidate.reason, "privileged") != NULL);
}

const struct test_case test_cases[] = {
    { "named_file_is_used", named_file_is_used },
    { "named_folder_is_used", named_folder_is_used },
    { "named_file_that_is_missing_is_not_replaced", named_file_that_is_missing_is_not_replaced },
    { "broken_file_is_reported_with_the_loaders_words", broken_file_is_reported_with_the_loaders_words },
    { "snapshots_and_lists_tell_it_as_init_does", snapshots_and_lists_tell_it_as_init_does },
    { "library_without_entry_points_is_passed_over", library_without_entry_points_is_passed_over },
    { "stub_is_known_by_its_folder", stub_is_known_by_its_folder },
    { "stub_is_known_by_its_text", stub_is_known_by_its_text },
    { "no_library_gives_every_candidate_with_its_reason", no_library_gives_every_candidate_with_its_reason },
    { "loader_path_is_searched", loader_path_is_searched },
    { "symbol_gives_functions_that_the_table_lacks", symbol_gives_functions_that_the_table_lacks },
    { "privileged_process_ignores_the_variable", privileged_process_ignores_the_variable },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
