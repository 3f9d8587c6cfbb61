/*
 * Field values: one reader for each kind of field, found by id in fields.def.
 * Each entry of a batch has its own result; the call itself succeeds.
 */
#include "driver/latency.h"
#include "driver/serve.h"

/** One entry of a batch that is being answered. */
typedef struct field_query {
    const nvpsim_device *device;
    uint64_t now_ns;
    unsigned offset;   /* of the id within its row */
    unsigned argument; /* of the row */
    nvmlFieldValue_t *value;
} field_query;

typedef nvmlReturn_t field_reader(const field_query *entry);

static nvmlReturn_t put_int(const field_query *entry, unsigned number)
{
    entry->value->valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
    entry->value->value.uiVal = number;
    return NVML_SUCCESS;
}

static nvmlReturn_t put_long(const field_query *entry, unsigned long long number)
{
    entry->value->valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
    entry->value->value.ullVal = number;
    return NVML_SUCCESS;
}

static nvmlReturn_t put_stated(const field_query *entry, nvpsim_number number)
{
    return number.state == NVPSIM_GIVEN ? put_int(entry, (unsigned)number.value) : NVML_ERROR_NOT_SUPPORTED;
}

static nvmlReturn_t field_zero(const field_query *entry)
{
    return put_int(entry, 0);
}

static nvmlReturn_t field_zero_long(const field_query *entry)
{
    return put_long(entry, 0);
}

static bool has_ecc(const field_query *entry)
{
    return entry->device->spec->ecc_current.state == NVPSIM_GIVEN && entry->device->spec->ecc_current.value;
}

static nvmlReturn_t field_ecc_mode(const field_query *entry)
{
    if (entry->device->spec->ecc_current.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (entry->argument == 0) {
        return put_int(entry, (unsigned)entry->device->spec->ecc_current.value);
    }
    return put_int(entry, atomic_load_explicit(&entry->device->settings->ecc_pending, memory_order_relaxed));
}

static nvmlReturn_t put_ecc(const field_query *entry, unsigned error, unsigned counter, unsigned place)
{
    return has_ecc(entry) ? put_long(entry, nvpsim__ecc_count(entry->device, error, counter, place)) : NVML_ERROR_NOT_SUPPORTED;
}

/* Single and double bit, first volatile, then aggregate. */
static nvmlReturn_t field_ecc_total(const field_query *entry)
{
    return put_ecc(entry, entry->offset % 2, entry->offset / 2, NVPSIM_ECC_TOTAL);
}

/* Pairs of single and double bit for each place. */
static nvmlReturn_t field_ecc_place(const field_query *entry)
{
    static const unsigned places[] = { NVPSIM_ECC_L1, NVPSIM_ECC_L2, NVPSIM_ECC_DEVICE, NVPSIM_ECC_REGISTER, NVPSIM_ECC_TEXTURE };
    return put_ecc(entry, entry->offset % 2, entry->argument, places[entry->offset / 2]);
}

static nvmlReturn_t field_ecc_zero(const field_query *entry)
{
    return has_ecc(entry) ? put_long(entry, 0) : NVML_ERROR_NOT_SUPPORTED;
}

static nvmlReturn_t field_retired(const field_query *entry)
{
    return put_stated(entry, entry->offset == 0 ? entry->device->spec->retired_single : entry->device->spec->retired_double);
}

static nvmlReturn_t field_retired_pending(const field_query *entry)
{
    if (entry->device->spec->retired_double.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return put_int(entry, (unsigned)entry->device->spec->retired_pending.value);
}

static nvmlReturn_t field_remapped(const field_query *entry)
{
    const nvpsim_device_spec *spec = entry->device->spec;
    const nvpsim_number numbers[] = { spec->remapped_correctable, spec->remapped_uncorrectable, spec->remapped_pending,
                                      spec->remapped_failure };
    return put_stated(entry, numbers[entry->offset]);
}

/* NVLink: a link that is named by the id, by the scope, or all together. */

static nvmlReturn_t link_check(const field_query *entry, unsigned link)
{
    if (nvpsim__nvlinks(entry->device) == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return link < nvpsim__nvlinks(entry->device) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

static nvmlReturn_t put_kib(const field_query *entry, nvpsim_direction direction, unsigned links, double factor)
{
    double bytes;
    if (!nvpsim__device_nvlink_bytes(entry->device, direction, entry->now_ns, &bytes)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return put_long(entry, (unsigned long long)(bytes * links * factor / 1024));
}

static unsigned link_mbps(void)
{
    nvpsim_number stated = nvpsim__world->scenario->nvlink_mbps;
    return stated.state == NVPSIM_GIVEN ? (unsigned)stated.value : 25000;
}

static nvmlReturn_t field_link_zero(const field_query *entry)
{
    nvmlReturn_t result = link_check(entry, entry->offset + entry->argument);
    return result == NVML_SUCCESS ? put_long(entry, 0) : result;
}

static nvmlReturn_t field_links_zero(const field_query *entry)
{
    return nvpsim__nvlinks(entry->device) > 0 ? put_long(entry, 0) : NVML_ERROR_NOT_SUPPORTED;
}

static nvmlReturn_t field_link_tx_kib(const field_query *entry)
{
    nvmlReturn_t result = link_check(entry, entry->offset + entry->argument);
    return result == NVML_SUCCESS ? put_kib(entry, NVPSIM_TX, 1, 1) : result;
}

static nvmlReturn_t field_link_rx_kib(const field_query *entry)
{
    nvmlReturn_t result = link_check(entry, entry->offset + entry->argument);
    return result == NVML_SUCCESS ? put_kib(entry, NVPSIM_RX, 1, 1) : result;
}

static nvmlReturn_t field_links_kib(const field_query *entry)
{
    return put_kib(entry, (nvpsim_direction)entry->argument, nvpsim__nvlinks(entry->device), 1);
}

static nvmlReturn_t field_link_speed(const field_query *entry)
{
    nvmlReturn_t result = link_check(entry, entry->offset + entry->argument);
    return result == NVML_SUCCESS ? put_int(entry, link_mbps()) : result;
}

static nvmlReturn_t field_links_speed(const field_query *entry)
{
    return nvpsim__nvlinks(entry->device) > 0 ? put_int(entry, link_mbps()) : NVML_ERROR_NOT_SUPPORTED;
}

static nvmlReturn_t field_link_count(const field_query *entry)
{
    return put_int(entry, nvpsim__nvlinks(entry->device));
}

static nvmlReturn_t field_switch_links(const field_query *entry)
{
    return put_int(entry, nvpsim__world->scenario->switch_count > 0 ? nvpsim__nvlinks(entry->device) : 0);
}

/* The scope is a link, or all ones for the sum over all. */
static nvmlReturn_t scope_links(const field_query *entry, unsigned *links)
{
    if (nvpsim__nvlinks(entry->device) == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *links = entry->value->scopeId == UINT32_MAX ? nvpsim__nvlinks(entry->device) : 1;
    return *links > 1 ? NVML_SUCCESS : link_check(entry, entry->value->scopeId);
}

static nvmlReturn_t put_scope(const field_query *entry, double factor)
{
    unsigned links;
    nvmlReturn_t result = scope_links(entry, &links);
    return result == NVML_SUCCESS ? put_kib(entry, (nvpsim_direction)entry->argument, links, factor) : result;
}

static nvmlReturn_t field_scope_kib(const field_query *entry)
{
    return put_scope(entry, 1);
}

/* Raw traffic has the headers of the protocol in it. */
static nvmlReturn_t field_scope_raw_kib(const field_query *entry)
{
    return put_scope(entry, 1.0625);
}

static nvmlReturn_t field_scope_bytes(const field_query *entry)
{
    return put_scope(entry, 1024);
}

static nvmlReturn_t field_scope_zero(const field_query *entry)
{
    unsigned links;
    nvmlReturn_t result = scope_links(entry, &links);
    return result == NVML_SUCCESS ? put_long(entry, 0) : result;
}

static nvmlReturn_t field_scope_index(const field_query *entry)
{
    nvmlReturn_t result = link_check(entry, entry->value->scopeId);
    return result == NVML_SUCCESS ? put_int(entry, nvpsim__place_of(entry->device)) : result;
}

static nvmlReturn_t field_scope_speed(const field_query *entry)
{
    nvmlReturn_t result = link_check(entry, entry->value->scopeId);
    return result == NVML_SUCCESS ? put_int(entry, link_mbps()) : result;
}

static nvmlReturn_t field_scope_state(const field_query *entry)
{
    if (nvpsim__nvlinks(entry->device) == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return put_int(entry, entry->value->scopeId < nvpsim__nvlinks(entry->device));
}

static nvmlReturn_t field_scope_version(const field_query *entry)
{
    nvmlReturn_t result = link_check(entry, entry->value->scopeId);
    return result == NVML_SUCCESS ? put_int(entry, nvpsim__nvlink_version()) : result;
}

static nvmlReturn_t field_memory_temperature(const field_query *entry)
{
    double memory_c;
    if (!nvpsim__device_memory_temperature(entry->device, entry->now_ns, &memory_c)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return put_int(entry, (unsigned)memory_c);
}

/* How far the threshold lies above the highest operating temperature, as a negative number of degrees. */
static nvmlReturn_t field_temperature_margin(const field_query *entry)
{
    const nvpsim_device_spec *spec = entry->device->spec;
    const nvpsim_number limits[] = { spec->shutdown_c, spec->slowdown_c, spec->memory_max_c, spec->max_operating_c };
    nvpsim_number limit = limits[entry->offset];
    if (spec->max_operating_c.state != NVPSIM_GIVEN || limit.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    entry->value->valueType = NVML_VALUE_TYPE_SIGNED_INT;
    entry->value->value.siVal = (int)spec->max_operating_c.value - (int)limit.value;
    return NVML_SUCCESS;
}

static nvmlReturn_t field_energy(const field_query *entry)
{
    double energy_mj;
    if (!nvpsim__device_energy(entry->device, entry->now_ns, &energy_mj)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return put_long(entry, (unsigned long long)energy_mj);
}

static nvmlReturn_t field_power(const field_query *entry)
{
    double power_mw;
    if (entry->value->scopeId != NVML_POWER_SCOPE_GPU || !nvpsim__device_power(entry->device, entry->now_ns, &power_mw)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return put_int(entry, (unsigned)power_mw);
}

/* Boards of one GPU have no power of a module beside it, and nothing tells that of the memory. */
static nvmlReturn_t put_limit(const field_query *entry, nvpsim_number limit_mw)
{
    return entry->value->scopeId == NVML_POWER_SCOPE_GPU ? put_stated(entry, limit_mw) : NVML_ERROR_NOT_SUPPORTED;
}

static nvmlReturn_t field_power_energy(const field_query *entry)
{
    return entry->value->scopeId == NVML_POWER_SCOPE_GPU ? field_energy(entry) : NVML_ERROR_NOT_SUPPORTED;
}

static nvmlReturn_t field_power_least(const field_query *entry)
{
    return put_limit(entry, entry->device->spec->power_min_mw);
}

static nvmlReturn_t field_power_most(const field_query *entry)
{
    return put_limit(entry, entry->device->spec->power_max_mw);
}

static nvmlReturn_t field_power_default(const field_query *entry)
{
    return put_limit(entry, entry->device->spec->power_default_mw);
}

static nvmlReturn_t field_power_limit(const field_query *entry)
{
    unsigned limit_mw = nvpsim__device_limit_mw(entry->device);
    return put_limit(entry, (nvpsim_number){ limit_mw > 0 ? NVPSIM_GIVEN : NVPSIM_NOT_AVAILABLE, limit_mw });
}

static nvmlReturn_t field_replays(const field_query *entry)
{
    return put_stated(entry, entry->device->spec->pcie_replays);
}

static nvmlReturn_t field_pcie_bytes(const field_query *entry)
{
    double bytes;
    if (!nvpsim__device_pcie_bytes(entry->device, (nvpsim_direction)entry->argument, entry->now_ns, &bytes)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return put_long(entry, (unsigned long long)bytes);
}

static const struct row {
    unsigned first, last;
    field_reader *read;
    unsigned argument;
} rows[] = {
#define FIELD(first, last, reader, argument) { first, last, field_##reader, argument },
#include "driver/fields.def"
#undef FIELD
};

enum { FIELDS_MAX = 320 };

/** What a number means to this driver: the id as the newest driver numbers it (0: unknown), and its row if it has an answer. */
static struct meaning {
    unsigned short id;
    const struct row *row;
} meanings[FIELDS_MAX];
static unsigned numbers_end; /* numbers from here on are wrong arguments */

static const struct row *row_of(unsigned id)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (id >= rows[i].first && id <= rows[i].last) {
            return &rows[i];
        }
    }
    return NULL;
}

static void ids_learn(unsigned first, unsigned last, unsigned number, unsigned since, unsigned until)
{
    if (nvpsim__generation.release < since || nvpsim__generation.release >= until) {
        return;
    }
    for (unsigned id = first; id <= last && number < FIELDS_MAX; id++, number++) {
        meanings[number] = (struct meaning){ (unsigned short)id, row_of(id) };
    }
}

static void end_learn(unsigned end, unsigned since)
{
    if (nvpsim__generation.release >= since) {
        numbers_end = end;
    }
}

__attribute__((constructor)) static void meanings_make(void)
{
#define FIELD_IDS(first, last, number, since, until) ids_learn(first, last, number, since, until);
#define FIELD_END(end, since) end_learn(end, since);
#include "driver/field_releases.def"
#undef FIELD_IDS
#undef FIELD_END
}

static nvmlReturn_t field_read(const nvpsim_device *device, uint64_t now_ns, nvmlFieldValue_t *value)
{
    unsigned number = value->fieldId;
    if (number == 0 || number >= numbers_end || number >= FIELDS_MAX) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    const struct meaning *meaning = &meanings[number];
    if (meaning->id == 0 || !meaning->row) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    field_query one = { device, now_ns, meaning->id - meaning->row->first, meaning->row->argument, value };
    return meaning->row->read(&one);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetFieldValues(nvmlDevice_t device, int valuesCount, nvmlFieldValue_t *values)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    uint64_t now_ns = nvpsim__now_ns();
    if (!values || valuesCount <= 0) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    uint64_t slowest_ns = 0;
    for (int i = 0; i < valuesCount; i++) {
        uint64_t latency_ns = nvpsim__latency_of_field(values[i].fieldId);
        slowest_ns = latency_ns > slowest_ns ? latency_ns : slowest_ns;
        values[i].timestamp = (long long)nvpsim__wall_us(now_ns);
        values[i].latencyUsec = 0;
        values[i].nvmlReturn = field_read(own, now_ns, &values[i]);
    }
    nvpsim__spend(slowest_ns);
    return NVML_SUCCESS;
}

/* No counter of this simulation can be cleared one by one. */
nvmlReturn_t nvpsim__serve_nvmlDeviceClearFieldValues(nvmlDevice_t device, int valuesCount, nvmlFieldValue_t *values)
{
    (void)device;
    if (!values || valuesCount <= 0) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (int i = 0; i < valuesCount; i++) {
        values[i].nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
    }
    return NVML_SUCCESS;
}
