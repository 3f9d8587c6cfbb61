/*
 * The thread begins with the first change. Settings that change while others are being written wait; only the newest of them are.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "config.h"
#include "keeper.h"

struct tui_keeper {
    const char *theme; /* of the command line; NULL: none */
    uint64_t interval_ms;
    pthread_t thread;
    bool has_thread; /* of the thread of the screen */

    pthread_mutex_t mutex; /* for all below */
    pthread_cond_t changed;
    tui_settings settings;
    bool is_pending, is_ending;
    char failure[200]; /* of the last time; empty: they were written */
};

tui_keeper *tui_keeper_new(const tui_request *request)
{
    tui_keeper *keeper = calloc(1, sizeof *keeper);
    if (keeper != NULL) {
        keeper->theme = request->theme;
        keeper->interval_ms = request->interval_ms;
        pthread_mutex_init(&keeper->mutex, NULL);
        pthread_cond_init(&keeper->changed, NULL);
    }
    return keeper;
}

/* What the command line says holds for this run; all else is kept. */
static void write_settings(const tui_keeper *keeper, tui_settings *settings, char *failure, size_t size)
{
    char message[160];
    tui_settings kept;
    tui_settings_init(&kept);
    failure[0] = '\0';
    if (!tui_config_load(&kept, message, sizeof message)) {
        return; /* a file that cannot be read was named when the viewer began */
    }
    bool is_theme_of_request = keeper->theme != NULL && tui_theme_find(keeper->theme) == (int)settings->theme;
    settings->theme = is_theme_of_request ? kept.theme : settings->theme;
    settings->interval_ms = keeper->interval_ms == settings->interval_ms ? kept.interval_ms : settings->interval_ms;
    if (!tui_config_save(settings, message, sizeof message)) {
        snprintf(failure, size, "the settings are not kept: %s", message);
    }
}

static void *work(void *argument)
{
    tui_keeper *keeper = argument;
    pthread_mutex_lock(&keeper->mutex);
    while (keeper->is_pending || !keeper->is_ending) {
        if (!keeper->is_pending) {
            pthread_cond_wait(&keeper->changed, &keeper->mutex);
            continue;
        }
        tui_settings settings = keeper->settings;
        char failure[sizeof keeper->failure];
        keeper->is_pending = false;
        pthread_mutex_unlock(&keeper->mutex);
        write_settings(keeper, &settings, failure, sizeof failure);
        pthread_mutex_lock(&keeper->mutex);
        snprintf(keeper->failure, sizeof keeper->failure, "%s", failure);
    }
    pthread_mutex_unlock(&keeper->mutex);
    return NULL;
}

void tui_keeper_keep(tui_keeper *keeper, const tui_settings *settings)
{
    pthread_mutex_lock(&keeper->mutex);
    keeper->settings = *settings;
    keeper->is_pending = true;
    if (!keeper->has_thread) {
        keeper->has_thread = pthread_create(&keeper->thread, NULL, work, keeper) == 0; /* else the next change tries again */
    }
    pthread_cond_signal(&keeper->changed);
    pthread_mutex_unlock(&keeper->mutex);
}

static bool join(const tui_keeper *keeper, unsigned int limit_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(limit_ms % 1000) * 1000000;
    until.tv_sec += (time_t)(limit_ms / 1000) + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_timedjoin_np(keeper->thread, NULL, &until) == 0;
}

bool tui_keeper_close(tui_keeper *keeper, unsigned int limit_ms, char *message, size_t size)
{
    message[0] = '\0';
    if (keeper == NULL) {
        return true;
    }
    pthread_mutex_lock(&keeper->mutex);
    keeper->is_ending = true;
    pthread_cond_signal(&keeper->changed);
    pthread_mutex_unlock(&keeper->mutex);
    if (keeper->has_thread && !join(keeper, limit_ms)) {
        snprintf(message, size, "the settings are not kept: config.yaml was not written within %u ms", limit_ms);
        return false; /* it uses all of this, still */
    }
    snprintf(message, size, "%s", keeper->is_pending ? "the settings are not kept: no thread could be started" : keeper->failure);
    pthread_cond_destroy(&keeper->changed);
    pthread_mutex_destroy(&keeper->mutex);
    free(keeper);
    return message[0] == '\0';
}
