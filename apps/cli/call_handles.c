/*
 * Turns the name of a GPU or a unit into the driver's handle.
 */
#include <stdlib.h>
#include <string.h>

#include <nvpulse/nvml.h>

#include "call.h"

static bool is_index(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && digits < 10 && name[digits] == '\0';
}

/* By index, UUID ("GPU-...", "MIG-...") or PCI bus id ("00000000:0A:00.0", "0A:00.0"). */
static nvp_status find_device(const char *name, nvmlDevice_t *device)
{
    if (is_index(name)) {
        return (nvp_status)nvmlDeviceGetHandleByIndex((unsigned int)strtoul(name, NULL, 10), device);
    }
    if (strchr(name, ':') != NULL) {
        return (nvp_status)nvmlDeviceGetHandleByPciBusId(name, device);
    }
    return (nvp_status)nvmlDeviceGetHandleByUUID(name, device);
}

static nvp_status find_unit(const char *name, nvmlUnit_t *unit)
{
    if (!is_index(name)) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    return (nvp_status)nvmlUnitGetHandleByIndex((unsigned int)strtoul(name, NULL, 10), unit);
}

static void say_how_many(const char *what, unsigned int count)
{
    if (count == 0) {
        cli_fail(0, &cli_call_command, "there is no %s", what);
    } else if (count == 1) {
        cli_fail(0, &cli_call_command, "there is one %s, with index 0", what);
    } else {
        cli_fail(0, &cli_call_command, "there are %u %ss, with index 0 to %u", count, what, count - 1);
    }
}

static void explain(const char *what, const char *name, nvp_status status)
{
    cli_fail(0, &cli_call_command, "%s '%s': %s (%s)", what, name, nvp_status_text(status), nvp_status_name(status));
    bool unit = strcmp(what, "unit") == 0;
    unsigned int count = 0;
    nvmlReturn_t counted = unit ? nvmlUnitGetCount(&count) : nvmlDeviceGetCount(&count);
    bool not_there = status == NVML_ERROR_INVALID_ARGUMENT || status == NVML_ERROR_NOT_FOUND || status < 0;
    if (not_there && counted == NVML_SUCCESS) {
        say_how_many(what, count);
    }
}

nvp_status call_arguments_resolve(call_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        call_slot *slot = &arguments->slots[i];
        if (slot->text == NULL || !slot->parameter.is_handle) {
            continue;
        }
        bool is_unit = call_handle_is_unit(&slot->parameter);
        nvmlDevice_t device = NULL;
        nvmlUnit_t unit = NULL;
        nvp_status status = is_unit ? find_unit(slot->text, &unit) : find_device(slot->text, &device);
        if (status != NVP_SUCCESS) {
            explain(is_unit ? "unit" : "GPU", slot->text, status);
            return status;
        }
        slot->arg = is_unit ? nvp_arg_handle(unit) : nvp_arg_handle(device);
    }
    return NVP_SUCCESS;
}
