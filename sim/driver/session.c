/*
 * Init and shutdown, the world behind them, and what keeps both usable after fork.
 * Writes one line to stderr when init fails for a bad scenario; nothing else in this library writes there.
 */
#include "driver/session.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/counter.h"
#include "driver/events.h"
#include "driver/fault.h"
#include "driver/generation.h"
#include "driver/live.h"
#include "driver/strict.h"

/* With `handles: fresh`, as many sessions pass until handle values come again. */
enum { SESSIONS = 16 };

static const char default_profile[] = "h100x8";

_Atomic(const nvpsim_session *) nvpsim__session_live;
nvpsim_world *nvpsim__world;
atomic_bool nvpsim__session_was;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below, and curve replacement */
static unsigned open_count;
static unsigned session_number;
static nvpsim_session sessions[SESSIONS];
static char load_message[NVPSIM_MESSAGE_SIZE];
static char told_message[NVPSIM_MESSAGE_SIZE];
static char unused_keys[NVPSIM_MESSAGE_SIZE]; /* likewise */
static char description[256];                 /* written once, with the world */
static char plain_description[128];           /* while the scenario is bad; written when the library is loaded */

void nvpsim__session_lock(void)
{
    pthread_mutex_lock(&lock);
}

void nvpsim__session_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static const char *environment(const char *name)
{
    const char *value = nvpsim__journal_setting(name);
    return value && value[0] ? value : NULL;
}

static bool replay_choose(nvpsim_replay *how)
{
    const char *speed = environment("NVPULSE_SIM_REPLAY_SPEED"), *end = environment("NVPULSE_SIM_REPLAY_END");
    *how = (nvpsim_replay){ 1, end && strcmp(end, "loop") == 0 };
    if (end && strcmp(end, "loop") != 0 && strcmp(end, "hold") != 0) {
        snprintf(load_message, sizeof load_message, "NVPULSE_SIM_REPLAY_END: '%.100s' is not allowed; allowed: hold, loop", end);
        return false;
    }
    char *rest = NULL;
    how->speed = speed ? strtod(speed, &rest) : 1;
    if (speed && (rest == speed || *rest || !(how->speed >= 0.001 && how->speed <= 100000))) {
        snprintf(load_message, sizeof load_message,
                 "NVPULSE_SIM_REPLAY_SPEED: '%.100s' is not allowed; allowed: a number from 0.001 to 100000", speed);
        return false;
    }
    return true;
}

static nvpsim_scenario *scenario_load(void)
{
    const char *file = environment("NVPULSE_SIM_SCENARIO"), *profile = environment("NVPULSE_SIM_PROFILE");
    const char *recording = environment("NVPULSE_SIM_REPLAY");
    nvpsim_replay how;
    if (recording) {
        return replay_choose(&how) ? nvpsim__scenario_read_recording(recording, &how, load_message) : NULL;
    }
    if (file) {
        return nvpsim__scenario_read_file(file, load_message);
    }
    return nvpsim__scenario_read_profile(profile ? profile : default_profile, load_message);
}

static bool clock_choose(const nvpsim_scenario *scenario, bool *stepped)
{
    const char *word = environment("NVPULSE_SIM_CLOCK");
    *stepped = scenario->clock.state == NVPSIM_GIVEN && scenario->clock.value == NVPSIM_CLOCK_STEPPED;
    if (!word) {
        return true;
    }
    *stepped = strcmp(word, "stepped") == 0;
    if (*stepped || strcmp(word, "real") == 0) {
        return true;
    }
    snprintf(load_message, sizeof load_message, "NVPULSE_SIM_CLOCK: '%.100s' is not allowed; allowed: real, stepped", word);
    return false;
}

static const char *without_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void description_make(const nvpsim_scenario *scenario)
{
    const char *file = environment("NVPULSE_SIM_SCENARIO"), *profile = environment("NVPULSE_SIM_PROFILE");
    const char *recording = environment("NVPULSE_SIM_REPLAY");
    if (recording) {
        snprintf(description, sizeof description, "nvpulse simulator, driver %s, replay of %.120s", nvpsim__generation.version,
                 without_folder(recording));
    } else if (!file) {
        snprintf(description, sizeof description, "nvpulse simulator, driver %s, profile %s", nvpsim__generation.version,
                 profile ? profile : default_profile);
    } else {
        snprintf(description, sizeof description, "nvpulse simulator, driver %s, scenario %.120s", nvpsim__generation.version,
                 scenario->name.state == NVPSIM_GIVEN ? scenario->name.bytes : without_folder(file));
    }
}

static void faults_load(const nvpsim_scenario *scenario)
{
    for (size_t i = 0; i < scenario->fault_count; i++) {
        nvpsim__fault_add_spec(&scenario->faults[i]);
    }
    for (size_t i = 0; i < scenario->devices_made; i++) {
        const nvpsim_device_spec *device = &scenario->devices[i];
        if (device->failure_mode.state == NVPSIM_GIVEN && device->failure_mode.value == NVPSIM_FAILURE_LOST &&
            device->failure_after_calls.state == NVPSIM_GIVEN) {
            nvpsim__fault_add(&(nvpsim_rule){ .function = -1,
                                              .device = (int)i,
                                              .error = NVML_ERROR_GPU_IS_LOST,
                                              .after_calls = device->failure_after_calls.value });
        }
    }
    if (scenario->latency.state == NVPSIM_GIVEN && scenario->latency.value == NVPSIM_LATENCY_MEASURED) {
        atomic_fetch_or_explicit(&nvpsim__attention, NVPSIM_ATTEND_LATENCY, memory_order_relaxed);
    }
    if (scenario->driver_lock.state == NVPSIM_GIVEN && scenario->driver_lock.value) {
        atomic_fetch_or_explicit(&nvpsim__attention, NVPSIM_ATTEND_LOCK, memory_order_relaxed);
    }
}

/* Under the lock. */
static bool world_need(void)
{
    if (nvpsim__world) {
        return true;
    }
    nvpsim_scenario *scenario = nvpsim__journal_open(load_message) ? scenario_load() : NULL;
    bool stepped;
    nvpsim_world *world = NULL;
    if (scenario && clock_choose(scenario, &stepped)) {
        world = nvpsim__world_make(scenario, stepped, load_message);
    }
    if (!world) {
        nvpsim__scenario_free(scenario);
        return false;
    }
    description_make(scenario);
    nvpsim__scenario_unused(scenario, unused_keys, sizeof unused_keys);
    nvpsim__world = world;
    faults_load(scenario); /* a fault may look at the clock */
    nvpsim__journal_start();
    return true;
}

const char *nvpsim__world_problem(void)
{
    return load_message;
}

bool nvpsim__world_need(void)
{
    pthread_mutex_lock(&lock);
    bool ok = world_need();
    pthread_mutex_unlock(&lock);
    return ok;
}

const char *nvpsim__world_description(void)
{
    return nvpsim__world_need() ? description : plain_description;
}

const char *nvpsim__world_unused(void)
{
    return unused_keys;
}

/* Once for each different message, so that a program that retries does not fill the screen. */
static void tell(const char *message)
{
    if (strcmp(message, told_message) == 0) {
        return;
    }
    snprintf(told_message, sizeof told_message, "%s", message);
    char line[NVPSIM_MESSAGE_SIZE + 32];
    int length = snprintf(line, sizeof line, "nvpulse simulator: %s\n", message);
    size_t size = length < (int)sizeof line ? (size_t)length : sizeof line - 1;
    ssize_t written = write(STDERR_FILENO, line, size);
    (void)written; /* nobody is left to hear of it */
}

/* Drivers before 450 know nothing of MIG: to them every device is whole. */
static size_t slices_of(const nvpsim_device *device)
{
    return nvpsim__driver_since(450, 51, 0) ? device->slice_count : 0;
}

static size_t slices_count(void)
{
    size_t slices = 0;
    for (unsigned i = 0; i < nvpsim__world_count(nvpsim__world); i++) {
        slices += slices_of(nvpsim__world_device(nvpsim__world, i));
    }
    return slices;
}

static bool handles_make(nvpsim_session *session)
{
    size_t slices = slices_count();
    session->handles = calloc(NVPSIM_DEVICES_MAX + slices, sizeof *session->handles);
    session->order = calloc(NVPSIM_DEVICES_MAX, sizeof *session->order);
    session->gpu_instances = calloc(slices + 1, sizeof *session->gpu_instances);
    session->compute_instances = calloc(slices + 1, sizeof *session->compute_instances);
    session->handle_count = NVPSIM_DEVICES_MAX + slices;
    session->slice_count = slices;
    return session->handles && session->order && session->gpu_instances && session->compute_instances;
}

static void handles_free(nvpsim_session *session)
{
    free(session->handles);
    free(session->order);
    free(session->gpu_instances);
    free(session->compute_instances);
    memset(session, 0, sizeof *session);
}

static void handle_set(struct nvmlDevice_st *handle, nvpsim_slot *slot, unsigned place)
{
    atomic_store_explicit(&handle->place, place, memory_order_relaxed);
    atomic_store_explicit(&handle->is_gone, false, memory_order_relaxed);
    atomic_store_explicit(&handle->slot, slot, memory_order_relaxed);
}

/* What is plugged in now is what the session sees until it ends. */
static void handles_fill(nvpsim_session *session)
{
    uint64_t now_ns = nvpsim__clock_ns(&nvpsim__world->clock);
    unsigned place = 0;
    size_t next = 0;
    for (unsigned i = 0; i < nvpsim__world_count(nvpsim__world); i++) {
        nvpsim_device *device = nvpsim__world_device(nvpsim__world, i);
        bool is_in = nvpsim__device_presence(device, now_ns) != NVPSIM_AWAY;
        nvpsim_slot *slot = is_in ? &nvpsim__world->slots[i] : NULL;
        handle_set(&session->handles[i], slot, place);
        for (size_t j = 0; j < slices_of(device); j++, next++) {
            session->handles[NVPSIM_DEVICES_MAX + next].slice = &device->slices[j];
            handle_set(&session->handles[NVPSIM_DEVICES_MAX + next], slot, place);
            session->gpu_instances[next] = (struct nvmlGpuInstance_st){ i, &device->slices[j] };
            session->compute_instances[next] = (struct nvmlComputeInstance_st){ i, &device->slices[j] };
        }
        if (is_in) {
            atomic_store_explicit(&session->order[place++], i, memory_order_relaxed);
        }
    }
    atomic_store_explicit(&session->device_count, place, memory_order_relaxed);
    atomic_store_explicit(&session->opened_ns, now_ns, memory_order_relaxed);
}

bool nvpsim__handle_is_sound(const nvpsim_session *session, const struct nvmlDevice_st *handle)
{
    uint64_t opened_ns = atomic_load_explicit(&session->opened_ns, memory_order_relaxed);
    const nvpsim_device *device = nvpsim__handle_device(handle);
    return !atomic_load_explicit(&handle->is_gone, memory_order_relaxed) &&
           !nvpsim__device_was_gone(device, opened_ns, nvpsim__clock_ns(&nvpsim__world->clock));
}

/* Under the lock. Handles keep their values from session to session, unless they must not or there are others than before. */
static nvpsim_session *session_make(void)
{
    const nvpsim_number *handles = &nvpsim__world->scenario->handles;
    bool is_fresh =
        nvpsim__strict != NVPSIM_STRICT_OFF || (handles->state == NVPSIM_GIVEN && handles->value == NVPSIM_HANDLES_FRESH);
    nvpsim_session *session = &sessions[session_number % SESSIONS];
    bool is_other = session->handles && session->slice_count != slices_count();
    if (session->handles && (is_fresh || is_other)) {
        session = &sessions[++session_number % SESSIONS];
    }
    if (session->handles && session->slice_count != slices_count()) {
        handles_free(session);
    }
    if (!session->handles && !handles_make(session)) {
        handles_free(session);
        return NULL;
    }
    handles_fill(session);
    return session;
}

void nvpsim__session_gone(const nvpsim_session *session, unsigned index)
{
    atomic_store_explicit(&session->handles[index].is_gone, true, memory_order_relaxed);
    for (size_t i = NVPSIM_DEVICES_MAX; i < session->handle_count; i++) {
        struct nvmlDevice_st *handle = &session->handles[i];
        if (atomic_load_explicit(&handle->slot, memory_order_relaxed) == &nvpsim__world->slots[index]) {
            atomic_store_explicit(&handle->is_gone, true, memory_order_relaxed);
        }
    }
}

bool nvpsim__session_had_handle(nvmlDevice_t handle)
{
    for (int i = 0; i < SESSIONS; i++) {
        uintptr_t offset = (uintptr_t)handle - (uintptr_t)sessions[i].handles;
        if (sessions[i].handles && offset < sessions[i].handle_count * sizeof *handle && offset % sizeof *handle == 0) {
            return true;
        }
    }
    return false;
}

nvmlReturn_t nvpsim__session_open(void)
{
    nvmlReturn_t result = NVML_SUCCESS;
    pthread_mutex_lock(&lock);
    if (open_count == 0) {
        nvpsim_session *session = NULL;
        if (!nvpsim__world) {
            tell(load_message);
            result = NVML_ERROR_UNKNOWN;
        } else if (!(session = session_make())) {
            result = NVML_ERROR_MEMORY;
        }
        if (session) {
            atomic_store_explicit(&nvpsim__session_live, session, memory_order_release);
            atomic_store_explicit(&nvpsim__session_was, true, memory_order_relaxed);
        }
    }
    if (result == NVML_SUCCESS) {
        open_count++;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* As the real libraries do, a shutdown without init answers success. */
nvmlReturn_t nvpsim__session_close(void)
{
    pthread_mutex_lock(&lock);
    if (open_count == 0) {
        nvpsim__strict_report(NVPSIM_FN_nvmlShutdown, "called without nvmlInit");
    }
    if (open_count > 0 && --open_count == 0) {
        atomic_store_explicit(&nvpsim__session_live, NULL, memory_order_release);
        nvpsim__event_sets_close();
    }
    pthread_mutex_unlock(&lock);
    return NVML_SUCCESS;
}

/*
 * Nothing is locked before a fork: a program that waits there for its calls under way would wait for ever. What another thread
 * was changing at that moment is whole or not there yet, as the pointers are set last; at worst a half-built world is lost.
 */
static void forked(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    nvpsim__counter_forked();
    nvpsim__fault_forked();
    nvpsim__events_forked();
}

__attribute__((constructor)) static void session_start(void)
{
    pthread_atfork(NULL, NULL, forked);
    snprintf(plain_description, sizeof plain_description, "nvpulse simulator, driver %s", nvpsim__generation.version);
}

/* At exit other threads may still be in here: then everything is left to the system. */
__attribute__((destructor)) static void session_stop(void)
{
    pthread_mutex_lock(&lock);
    if (open_count == 0) {
        nvpsim__world_free(nvpsim__world);
        nvpsim__world = NULL;
        for (int i = 0; i < SESSIONS; i++) {
            handles_free(&sessions[i]);
        }
    }
    pthread_mutex_unlock(&lock);
}
