/*
 * Which processes are shown, and in which order. What is N/A passes no filter and comes last in every order.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "processes.h"

#define LARGEST_PID 4294967295ul

/* Whether `text` is one of the words of a comma separated list. */
static bool is_listed(const char *list, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = list; at != NULL;) {
        const char *comma = strchrnul(at, ',');
        if ((size_t)(comma - at) == length && memcmp(at, text, length) == 0) {
            return true;
        }
        at = *comma == ',' ? comma + 1 : NULL;
    }
    return false;
}

bool process_pids_check(const cli_command *command, const char *pids)
{
    for (const char *at = pids; at != NULL;) {
        char *end = NULL;
        errno = 0;
        unsigned long pid = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
        if (end == NULL || (*end != ',' && *end != '\0') || errno != 0 || pid > LARGEST_PID) {
            cli_misuse(command, "--pid: '%s' is no list of process ids", pids);
            return false;
        }
        at = *end == ',' ? end + 1 : NULL;
    }
    return true;
}

static bool is_number_listed(const char *list, const nvp_process *process, nvp_process_field field)
{
    char text[32];
    const nvp_reading *reading = nvp_process_get(process, field);
    snprintf(text, sizeof text, "%llu", (unsigned long long)nvp_reading_uint(reading, 0));
    return nvp_reading_has(reading) && is_listed(list, text);
}

static bool matches_user(const char *users, const nvp_process *process)
{
    const char *user = nvp_reading_text(nvp_process_get(process, NVP_PROCESS_USER), NULL);
    return (user != NULL && is_listed(users, user)) || is_number_listed(users, process, NVP_PROCESS_UID);
}

static bool matches_command(const char *pattern, const nvp_process *process)
{
    const char *name = nvp_reading_text(nvp_process_get(process, NVP_PROCESS_NAME), NULL);
    const char *text = nvp_reading_text(nvp_process_get(process, NVP_PROCESS_COMMAND), name);
    bool is_pattern = strpbrk(pattern, "*?[") != NULL;
    return text != NULL && (is_pattern ? fnmatch(pattern, text, 0) == 0 : strstr(text, pattern) != NULL);
}

static bool passes(const process_filter *filter, const nvp_process *process)
{
    uint64_t types = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_TYPE), 0);
    return (filter->types == 0 || (types & filter->types) != 0) &&
           (filter->pids == NULL || is_number_listed(filter->pids, process, NVP_PROCESS_PID)) &&
           (filter->users == NULL || matches_user(filter->users, process)) &&
           (filter->commands == NULL || matches_command(filter->commands, process));
}

static int compare_readings(const nvp_reading *one, const nvp_reading *other, bool descends)
{
    bool has_one = nvp_reading_has(one), has_other = nvp_reading_has(other);
    int order;
    if (!has_one || !has_other) {
        return has_other - has_one;
    }
    if (one->kind == NVP_KIND_TEXT && other->kind == NVP_KIND_TEXT) {
        order = strcmp(one->as.text, other->as.text);
    } else {
        double a = nvp_reading_number(one, 0), b = nvp_reading_number(other, 0);
        order = (a > b) - (a < b);
    }
    return descends ? -order : order;
}

/** A process and where it stood. */
struct ranked {
    const nvp_process *process;
    size_t place;
};

static int compare(const void *one, const void *other, void *context)
{
    const struct ranked *a = one, *b = other;
    const process_fields *order = context;
    for (size_t i = 0; i < order->count; i++) {
        int result = compare_readings(nvp_process_get(a->process, order->fields[i]),
                                      nvp_process_get(b->process, order->fields[i]), order->descends[i]);
        if (result != 0) {
            return result;
        }
    }
    return (a->place > b->place) - (a->place < b->place);
}

const nvp_process **process_select(const nvp_snapshot *snapshot, const process_view *view, size_t *count)
{
    size_t total = nvp_snapshot_process_count(snapshot), kept = 0;
    struct ranked *ranked = calloc(total + 1, sizeof *ranked);
    const nvp_process **processes = calloc(total + 1, sizeof *processes);
    process_fields order = view->order;
    if (ranked == NULL || processes == NULL) {
        free(ranked);
        free(processes);
        return NULL;
    }
    for (size_t i = 0; i < total; i++) {
        const nvp_process *process = nvp_snapshot_process(snapshot, i);
        if (passes(&view->filter, process)) {
            ranked[kept++] = (struct ranked){ process, i };
        }
    }
    qsort_r(ranked, kept, sizeof *ranked, compare, &order);
    for (size_t i = 0; i < kept; i++) {
        processes[i] = ranked[i].process;
    }
    free(ranked);
    *count = kept;
    return processes;
}
