/*
 * Settings from the environment. A value that is not a number is reported and the default is used.
 */
#include "lifecycle/settings.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_DOUBLINGS 32 /* the longest back-off is this many times the first */
#define MS_MAX INT64_C(86400000)

static struct nvp__settings settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int64_t ns_from_environment(const char *name, int64_t otherwise_ms)
{
    const char *text = getenv(name);
    if (text == NULL || text[0] == '\0') {
        return otherwise_ms * NVP__NS_PER_MS;
    }
    char *end;
    errno = 0;
    long long ms = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0' || ms < 0 || ms > MS_MAX) {
        nvp__log(NVP_LOG_WARNING, "lifecycle", "%s=%s is not a number of milliseconds from 0 to %lld; using %lld", name, text,
                 (long long)MS_MAX, (long long)otherwise_ms);
        return otherwise_ms * NVP__NS_PER_MS;
    }
    return ms * NVP__NS_PER_MS;
}

static void read_environment(void)
{
    const char *guard = getenv("NVPULSE_GUARD");
    settings.exit_timeout_ns = ns_from_environment("NVPULSE_EXIT_TIMEOUT_MS", 120000);
    settings.fork_timeout_ns = ns_from_environment("NVPULSE_FORK_TIMEOUT_MS", 5000);
    settings.retry_ns = ns_from_environment("NVPULSE_RETRY_MS", 1000);
    settings.retry_max_ns = settings.retry_ns * RETRY_DOUBLINGS;
    settings.fenced = guard != NULL && strcmp(guard, "fenced") == 0;
}

const struct nvp__settings *nvp__settings(void)
{
    pthread_once(&once, read_environment);
    return &settings;
}

void nvp__settings_limit(int64_t timeout_ns)
{
    pthread_once(&once, read_environment);
    settings.exit_timeout_ns = settings.exit_timeout_ns < timeout_ns ? settings.exit_timeout_ns : timeout_ns;
    settings.fork_timeout_ns = settings.fork_timeout_ns < timeout_ns ? settings.fork_timeout_ns : timeout_ns;
}
