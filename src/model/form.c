/*
 * The three groups of readings, each from its own table.
 */
#include "model/form.h"

#include <string.h>

#include "model/metrics.h"
#include "model/snapshot.h"

const char *const nvp__type_words[NVP__TYPE_COUNT] = { "compute", "graphics", "mps" };

static bool is_never_of_host(unsigned int field)
{
    (void)field;
    return false;
}

static enum nvp__style plain_style(unsigned int field)
{
    (void)field;
    return NVP__AS_NUMBER;
}

static const char *metric_name(unsigned int field)
{
    return nvp_metric_get((nvp_metric)field)->name;
}

static bool find_metric(const char *name, unsigned int *field)
{
    const nvp_metric_info *info = nvp_metric_find(name);
    *field = info != NULL ? (unsigned int)info->metric : 0;
    return info != NULL;
}

static unsigned int metric_kinds(unsigned int field)
{
    const nvp_metric_info *info = nvp_metric_get((nvp_metric)field);
    bool only_number = info->kind == NVP_METRIC_GAUGE || info->kind == NVP_METRIC_COUNTER;
    unsigned int kinds = NVP_KIND_NUMBER | (only_number ? 0u : (unsigned int)NVP_KIND_TEXT);
    return kinds | (info->is_list ? (unsigned int)NVP_KIND_LIST : 0u);
}

static enum nvp__style metric_style(unsigned int field)
{
    return nvp__metric_has_words((nvp_metric)field) ? NVP__AS_WORD : NVP__AS_NUMBER;
}

const struct nvp__form nvp__form_metrics = {
    NVP_METRIC_COUNT, metric_name, find_metric, metric_kinds, metric_style, is_never_of_host, true,
};

static const char *host_name(unsigned int field)
{
    return nvp_host_field_name((nvp_host_field)field);
}

static bool find_host(const char *name, unsigned int *field)
{
    for (*field = 0; *field < NVP_HOST_FIELD_COUNT; ++*field) {
        if (strcmp(host_name(*field), name) == 0) {
            return true;
        }
    }
    return false;
}

static unsigned int host_kinds(unsigned int field)
{
    return nvp__host_field_kind((nvp_host_field)field);
}

const struct nvp__form nvp__form_host = {
    NVP_HOST_FIELD_COUNT, host_name, find_host, host_kinds, plain_style, is_never_of_host, false,
};

static const char *process_name(unsigned int field)
{
    return nvp_process_field_get((nvp_process_field)field)->name;
}

static bool find_process(const char *name, unsigned int *field)
{
    const nvp_process_field_info *info = nvp_process_field_find(name);
    *field = info != NULL ? (unsigned int)info->field : 0;
    return info != NULL;
}

static unsigned int process_kinds(unsigned int field)
{
    return nvp_process_field_get((nvp_process_field)field)->kind;
}

static enum nvp__style process_style(unsigned int field)
{
    return field == NVP_PROCESS_FOREIGN ? NVP__AS_BOOL : field == NVP_PROCESS_TYPE ? NVP__AS_TYPES : NVP__AS_NUMBER;
}

/* What /proc says is read once for all devices; the rest is read with the device. */
static bool is_of_proc(unsigned int field)
{
    return field == NVP_PROCESS_START_TIME_US || field == NVP_PROCESS_FOREIGN || field >= NVP_PROCESS_NAME;
}

const struct nvp__form nvp__form_process = {
    NVP_PROCESS_FIELD_COUNT, process_name, find_process, process_kinds, process_style, is_of_proc, false,
};
