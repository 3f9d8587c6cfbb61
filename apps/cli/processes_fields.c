/*
 * The fields of a process as columns: their titles, and their values as people read them. The fields themselves are the library's table.
 */
#include <ctype.h>
#include <string.h>
#include <time.h>

#include "processes.h"
#include "suggest.h"

#define GIB (1024.0 * 1024.0 * 1024.0)
#define MIB (1024.0 * 1024.0)

/** In the order of nvp_process_field. The turns in which columns leave are those of the usual table. */
static const cli_column columns[NVP_PROCESS_FIELD_COUNT] = {
    [NVP_PROCESS_PID] = { "PID", CLI_RIGHT, 0, 0, false },
    [NVP_PROCESS_START_TIME_US] = { "Started", CLI_LEFT, 1, 0, false },
    [NVP_PROCESS_FOREIGN] = { "Foreign", CLI_LEFT, 1, 0, false },
    [NVP_PROCESS_GPU_INDEX] = { "GPU", CLI_RIGHT, 0, 0, false },
    [NVP_PROCESS_GPU_UUID] = { "GPU UUID", CLI_LEFT, 1, 0, false },
    [NVP_PROCESS_MIG_INDEX] = { "MIG", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_GPU_INSTANCE] = { "GI", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_COMPUTE_INSTANCE] = { "CI", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_TYPE] = { "Type", CLI_LEFT, 5, 0, false },
    [NVP_PROCESS_GPU_MEMORY_BYTES] = { "Memory", CLI_RIGHT, 7, 0, false },
    [NVP_PROCESS_SM_PERCENT] = { "SM", CLI_RIGHT, 4, 0, false },
    [NVP_PROCESS_MEMORY_PERCENT] = { "M-Util", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_ENCODER_PERCENT] = { "Enc", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_DECODER_PERCENT] = { "Dec", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_JPEG_PERCENT] = { "JPEG", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_OFA_PERCENT] = { "OFA", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_NAME] = { "Name", CLI_LEFT, 1, 8, false },
    [NVP_PROCESS_COMMAND] = { "Command", CLI_LEFT, 0, 8, true },
    [NVP_PROCESS_USER] = { "User", CLI_LEFT, 6, 0, false },
    [NVP_PROCESS_UID] = { "UID", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_PARENT_PID] = { "Parent", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_CPU_PERCENT] = { "CPU", CLI_RIGHT, 3, 0, false },
    [NVP_PROCESS_HOST_MEMORY_BYTES] = { "Host mem", CLI_RIGHT, 2, 0, false },
    [NVP_PROCESS_HOST_MEMORY_PERCENT] = { "Host mem %", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_RUNNING_TIME_S] = { "Running", CLI_RIGHT, 1, 0, false },
    [NVP_PROCESS_CONTAINER_ID] = { "Container", CLI_LEFT, 1, 12, false },
    [NVP_PROCESS_POD_UID] = { "Pod", CLI_LEFT, 1, 12, false },
    [NVP_PROCESS_SLURM_JOB] = { "Slurm job", CLI_RIGHT, 1, 0, false },
};

cli_column process_column(nvp_process_field field)
{
    return columns[field];
}

bool process_fields_have(const process_fields *fields, nvp_process_field field)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (fields->fields[i] == field) {
            return true;
        }
    }
    return false;
}

/* "gpu_memory" is gpu_memory_bytes: what follows is the unit, or says that it is a number. */
static bool is_short_for(const char *name, const char *word, size_t length)
{
    static const char *const endings[] = { "_bytes", "_percent", "_s", "_us", "_index", "_id", "_uid", NULL };
    if (length == 0 || strncmp(name, word, length) != 0) {
        return false;
    }
    for (const char *const *ending = endings; *ending != NULL; ending++) {
        if (strcmp(name + length, *ending) == 0) {
            return true;
        }
    }
    return false;
}

static const nvp_process_field_info *find_field(const char *word)
{
    bool is_memory =
        strcmp(word, "memory") == 0 || strcmp(word, "mem") == 0; /* how much of it, as the table's title says, not its load */
    const nvp_process_field_info *info =
        is_memory ? nvp_process_field_get(NVP_PROCESS_GPU_MEMORY_BYTES) : nvp_process_field_find(word);
    const nvp_process_field_info *other;
    for (int field = 0; info == NULL && (other = nvp_process_field_get((nvp_process_field)field)) != NULL; field++) {
        info = is_short_for(other->name, word, strlen(word)) ? other : NULL;
    }
    return info != NULL && info->field < NVP_PROCESS_FIELD_COUNT ? info : NULL;
}

static void refuse(const cli_command *command, const char *option, const char *word)
{
    cli_suggestion suggestion = CLI_SUGGESTION_FOR(word);
    const nvp_process_field_info *info;
    for (int field = 0; (info = nvp_process_field_get((nvp_process_field)field)) != NULL; field++) {
        cli_suggestion_offer(&suggestion, info->name);
    }
    if (suggestion.nearest != NULL) {
        cli_misuse(command, "--%s: there is no field '%s'; did you mean '%s'?", option, word, suggestion.nearest);
    } else {
        cli_misuse(command, "--%s: there is no field '%s'; --help lists them", option, word);
    }
}

bool process_fields_parse(process_fields *fields, const cli_command *command, const char *option, const char *names)
{
    fields->count = 0;
    for (const char *at = names; at != NULL;) {
        char word[64];
        const char *comma = strchrnul(at, ',');
        bool descends = *at == '-';
        at += descends;
        snprintf(word, sizeof word, "%.*s", (int)(comma - at), at);
        const nvp_process_field_info *info = find_field(word);
        if (info == NULL) {
            refuse(command, option, word);
            return false;
        }
        if (!process_fields_have(fields, info->field)) {
            fields->descends[fields->count] = descends;
            fields->fields[fields->count++] = info->field;
        }
        at = *comma == ',' ? comma + 1 : NULL;
    }
    return true;
}

bool process_types_parse(unsigned int *types, const cli_command *command, const char *letters)
{
    *types = 0;
    for (const char *letter = letters; *letter != '\0'; letter++) {
        switch (toupper((unsigned char)*letter)) {
        case 'C':
            *types |= NVP_PROCESS_TYPE_COMPUTE;
            break;
        case 'G':
            *types |= NVP_PROCESS_TYPE_GRAPHICS;
            break;
        case 'M':
            *types |= NVP_PROCESS_TYPE_MPS;
            break;
        case ',':
        case '+':
            break;
        default:
            *types = 0;
            letter = "x"; /* refused below */
        }
    }
    if (*types == 0) {
        cli_misuse(command, "--type: '%s' is none of C, G, M and their combinations", letters);
    }
    return *types != 0;
}

/* "3-04:05:06", "4:05:06", "5:06" */
static void format_span(double span_s, char *text, size_t size)
{
    unsigned long long s = (unsigned long long)span_s, days = s / 86400;
    if (days > 0) {
        snprintf(text, size, "%llu-%02llu:%02llu:%02llu", days, s / 3600 % 24, s / 60 % 60, s % 60);
    } else if (s >= 3600) {
        snprintf(text, size, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
    } else {
        snprintf(text, size, "%llu:%02llu", s / 60, s % 60);
    }
}

static void format_time(double time_us, char *text, size_t size)
{
    time_t seconds = (time_t)(time_us / 1e6);
    struct tm local;
    if (localtime_r(&seconds, &local) == NULL || strftime(text, size, "%Y-%m-%d %H:%M:%S", &local) == 0) {
        snprintf(text, size, "?");
    }
}

/* "0:1" for a process on a MIG device. */
static void format_gpu(const nvp_process *process, unsigned long long index, char *text, size_t size)
{
    const nvp_reading *mig = nvp_process_get(process, NVP_PROCESS_MIG_INDEX);
    if (nvp_reading_has(mig)) {
        snprintf(text, size, "%llu:%llu", index, (unsigned long long)nvp_reading_uint(mig, 0));
    } else {
        snprintf(text, size, "%llu", index);
    }
}

static void format_number(const nvp_process *process, const nvp_process_field_info *info, double number, char *text, size_t size)
{
    if (strcmp(info->unit, "bytes") == 0) {
        snprintf(text, size, number >= GIB ? "%.1f GiB" : "%.0f MiB", number / (number >= GIB ? GIB : MIB));
    } else if (strcmp(info->unit, "%") == 0) {
        snprintf(text, size, "%.0f%%", number);
    } else if (strcmp(info->unit, "s") == 0) {
        format_span(number, text, size);
    } else if (strcmp(info->unit, "us") == 0) {
        format_time(number, text, size);
    } else if (info->field == NVP_PROCESS_TYPE) {
        snprintf(text, size, "%s", nvp_process_type_text((uint64_t)number));
    } else if (info->field == NVP_PROCESS_GPU_INDEX) {
        format_gpu(process, (unsigned long long)number, text, size);
    } else if (info->field == NVP_PROCESS_FOREIGN) {
        snprintf(text, size, "%s", number == 0 ? "no" : "yes");
    } else {
        snprintf(text, size, "%.0f", number);
    }
}

bool process_format(const nvp_process *process, nvp_process_field field, char *text, size_t size)
{
    const nvp_reading *reading = nvp_process_get(process, field);
    if (!nvp_reading_has(reading)) {
        return false;
    }
    if (reading->kind == NVP_KIND_TEXT) {
        snprintf(text, size, "%s", reading->as.text);
    } else {
        format_number(process, nvp_process_field_get(field), nvp_reading_number(reading, 0), text, size);
    }
    return true;
}
