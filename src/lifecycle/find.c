/*
 * Finding and loading the library without initialising NVML; any symbol of it.
 */
#include "lifecycle/lifecycle.h"

#include "driver/library.h"
#include "lifecycle/settings.h"

static bool is_loaded(void)
{
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    return nvp_driver_get_info(&info) == NVP_SUCCESS && info.loaded;
}

/* Loading has the state OPENING, so that nobody else opens or forks meanwhile. */
static nvp_status load_locked(void)
{
    nvp_status status = nvp__lifecycle_settle(nvp__settings()->exit_timeout_ns);
    if (status != NVP_SUCCESS || is_loaded()) {
        return status;
    }
    nvp__lifecycle_set_state(NVP_STATE_OPENING);
    pthread_mutex_unlock(&nvp__lifecycle.lock);
    status = nvp__driver_load();
    pthread_mutex_lock(&nvp__lifecycle.lock);
    if (nvp__lifecycle_state() == NVP_STATE_OPENING) {
        nvp__lifecycle_set_state(NVP_STATE_COLD);
    }
    return status;
}

nvp_status nvp_driver_find(void)
{
    if (is_loaded()) {
        return NVP_SUCCESS;
    }
    nvp_status status = nvp__lifecycle_set_up();
    if (status == NVP_SUCCESS) {
        pthread_mutex_lock(&nvp__lifecycle.lock);
        status = load_locked();
        pthread_mutex_unlock(&nvp__lifecycle.lock);
    }
    return status;
}

void *nvp_symbol(const char *name)
{
    return name != NULL && nvp_driver_find() == NVP_SUCCESS ? nvp__driver_symbol(name) : NULL;
}
