/*
 * The runner of process tests and what their cases share.
 */
#include "cases.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>

static const char *watched;
static atomic_uint lines;

nvmlDevice_t first_device(void)
{
    nvmlDevice_t device = NULL;
    CHECK_STATUS(nvmlDeviceGetHandleByIndex(0, &device), NVML_SUCCESS);
    return device;
}

void query_ok(nvmlDevice_t device)
{
    unsigned int power_mw = 0;
    CHECK_STATUS(nvmlDeviceGetPowerUsage(device, &power_mw), NVML_SUCCESS);
    CHECK(power_mw > 0);
}

pthread_t start(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, argument) == 0);
    return thread;
}

int await_child(pid_t child)
{
    int status = 0;
    CHECK(child > 0);
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void count_line(nvp_log_level level, const char *message, void *context)
{
    (void)level;
    (void)context;
    if (strstr(message, watched) != NULL) {
        atomic_fetch_add(&lines, 1);
    }
}

nvp_snapshot *sample(nvp_sampler *sampler)
{
    nvp_snapshot *snapshot = NULL;
    CHECK_STATUS(nvp_sampler_sample(sampler, &snapshot), NVP_SUCCESS);
    return snapshot;
}

void watch_log(const char *text)
{
    watched = text;
    atomic_store(&lines, 0);
    nvp_log_set(NVP_LOG_DEBUG, count_line, NULL);
}

unsigned int watched_lines(void)
{
    return atomic_load(&lines);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < test_case_count; i++) {
        if (argc < 2) {
            puts(test_cases[i].name);
        } else if (strcmp(argv[1], test_cases[i].name) == 0) {
            test_cases[i].run();
            return 0;
        }
    }
    if (argc < 2) {
        return 0;
    }
    fprintf(stderr, "%s: no case of that name\n", argv[1]);
    return 2;
}
