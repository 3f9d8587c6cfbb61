/*
 * Memory is reused from one snapshot to the next: it only grows, with the most processes that there ever were.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "processes.h"
#include "tree.h"

tui_process_key tui_process_key_of(const nvp_process *process)
{
    return (tui_process_key){
        .pid = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_PID), 0),
        .start_time_us = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_START_TIME_US), 0),
        .gpu = (unsigned int)nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_GPU_INDEX), UINT32_MAX),
        .mig = (int)nvp_reading_number(nvp_process_get(process, NVP_PROCESS_MIG_INDEX), -1),
    };
}

bool tui_process_key_equal(const tui_process_key *one, const tui_process_key *other)
{
    return one->pid == other->pid && one->start_time_us == other->start_time_us && one->gpu == other->gpu &&
           one->mig == other->mig;
}

/* Looks from place `*at` on, where it is then found: processes come in the order of their devices. */
static const nvp_device_sample *device_of(const nvp_snapshot *snapshot, const tui_process_key *key, size_t *at)
{
    size_t count = nvp_snapshot_device_count(snapshot);
    for (size_t i = 0; i < count; i++) {
        size_t place = (*at + i) % count;
        const nvp_device_sample *device = nvp_snapshot_device(snapshot, place);
        if (device->index == key->gpu && device->mig_index == key->mig) {
            *at = place;
            return device;
        }
    }
    return NULL;
}

/* By name, or by number. */
static bool is_of_user(const nvp_process *process, const char *user)
{
    char *end;
    unsigned long long number = strtoull(user, &end, 10);
    const nvp_reading *uid = nvp_process_get(process, NVP_PROCESS_UID);
    return strcmp(nvp_reading_text(nvp_process_get(process, NVP_PROCESS_USER), ""), user) == 0 ||
           (user[0] >= '0' && user[0] <= '9' && *end == '\0' && nvp_reading_has(uid) && nvp_reading_uint(uid, 0) == number);
}

static bool is_chosen(const tui_row *row, const tui_choice *choice)
{
    if (choice->gpu >= 0 && row->key.gpu != (unsigned int)choice->gpu) {
        return false;
    }
    if (choice->user != NULL && choice->user[0] != '\0' && !is_of_user(row->process, choice->user)) {
        return false;
    }
    return choice->filter == NULL || tui_filter_matches(choice->filter, row->process, row->memory_total);
}

static bool make_room(tui_processes *processes, size_t count)
{
    if (count > processes->capacity) {
        size_t capacity = count + count / 4;
        tui_row *rows = reallocarray(processes->rows, capacity, sizeof *rows);
        if (rows == NULL) {
            return false;
        }
        processes->rows = rows;
        processes->capacity = capacity;
    }
    return true;
}

static bool is_tagged(const tui_processes *processes, const tui_process_key *key)
{
    for (size_t i = 0; i < processes->tag_count; i++) {
        if (tui_process_key_equal(&processes->tags[i], key)) {
            return true;
        }
    }
    return false;
}

/* They come in the order of their devices: each device is looked for once. */
static void collect(tui_processes *processes, const nvp_snapshot *snapshot, const tui_choice *choice)
{
    const nvp_process *process;
    tui_process_key last = { 0, 0, UINT32_MAX, -1 };
    double memory = 0;
    size_t at = 0;
    bool is_text = tui_column_is_text(choice->sort), is_shown = true;
    for (size_t i = 0; (process = nvp_snapshot_process(snapshot, i)) != NULL; i++) {
        tui_row row = { .process = process, .key = tui_process_key_of(process) };
        if (row.key.gpu != last.gpu || row.key.mig != last.mig) {
            const nvp_device_sample *device = device_of(snapshot, &row.key, &at);
            memory = nvp_reading_number(nvp_device_sample_get(device, NVP_METRIC_MEMORY_TOTAL_BYTES), 0);
            is_shown = choice->is_shown == NULL || (device != NULL && choice->is_shown(choice->context, device));
            last = row.key;
        }
        row.memory_total = memory;
        row.number = is_text ? (double)NAN : tui_column_number(choice->sort, process, memory);
        row.text = is_text ? tui_column_text(choice->sort, process) : NULL;
        row.is_tagged = processes->tag_count > 0 && is_tagged(processes, &row.key);
        if (is_shown && is_chosen(&row, choice)) {
            processes->rows[processes->count++] = row;
        }
    }
}

static int compare_numbers(double one, double other)
{
    if (isnan(one) || isnan(other)) {
        return isnan(one) - isnan(other); /* what is not known comes last, whichever the order */
    }
    return (one > other) - (one < other);
}

static int compare_texts(const char *one, const char *other)
{
    if (one == NULL || other == NULL) {
        return (one == NULL) - (other == NULL);
    }
    return strcmp(one, other);
}

static int compare(const void *first, const void *second, void *context)
{
    const tui_row *one = first, *other = second;
    const tui_choice *choice = context;
    int order =
        tui_column_is_text(choice->sort) ? compare_texts(one->text, other->text) : compare_numbers(one->number, other->number);
    bool is_known = tui_column_is_text(choice->sort) ? one->text != NULL && other->text != NULL
                                                     : !isnan(one->number) && !isnan(other->number);
    if (order != 0) {
        return choice->is_descending && is_known ? -order : order;
    }
    /* Rows that are alike keep an order of their own, so that nothing dances. */
    if (one->key.gpu != other->key.gpu) {
        return one->key.gpu < other->key.gpu ? -1 : 1;
    }
    if (one->key.mig != other->key.mig) {
        return one->key.mig < other->key.mig ? -1 : 1;
    }
    return (one->key.pid > other->key.pid) - (one->key.pid < other->key.pid);
}

/* The selection stays with its process; when that has gone, with its place. */
static void keep_selection(tui_processes *processes)
{
    for (size_t i = 0; processes->has_moved && i < processes->count; i++) {
        if (tui_process_key_equal(&processes->rows[i].key, &processes->selected_key)) {
            processes->selected = i;
            return;
        }
    }
    if (processes->selected >= processes->count) {
        processes->selected = processes->count > 0 ? processes->count - 1 : 0;
    }
    if (processes->count > 0) {
        processes->selected_key = processes->rows[processes->selected].key;
    }
}

bool tui_processes_build(tui_processes *processes, const nvp_snapshot *snapshot, const tui_choice *choice)
{
    processes->count = 0;
    processes->total = nvp_snapshot_process_count(snapshot);
    if (!make_room(processes, processes->total)) {
        return false;
    }
    collect(processes, snapshot, choice);
    if (processes->count > 1) { /* without any there are no rows that could be named */
        qsort_r(processes->rows, processes->count, sizeof *processes->rows, compare, (void *)(uintptr_t)choice);
    }
    bool done = !choice->is_tree || tui_tree_arrange(processes->rows, processes->count);
    keep_selection(processes);
    return done;
}

void tui_processes_select(tui_processes *processes, size_t place)
{
    processes->has_moved = true;
    processes->selected = place < processes->count ? place : processes->count > 0 ? processes->count - 1 : 0;
    if (processes->count > 0) {
        processes->selected_key = processes->rows[processes->selected].key;
    }
}

void tui_processes_move(tui_processes *processes, long distance)
{
    long place = (long)processes->selected + distance;
    tui_processes_select(processes, place < 0 ? 0 : (size_t)place);
}

void tui_processes_scroll(tui_processes *processes, int rows)
{
    size_t room = rows > 0 ? (size_t)rows : 1;
    if (processes->selected < processes->top) {
        processes->top = processes->selected;
    }
    if (processes->selected >= processes->top + room) {
        processes->top = processes->selected - room + 1;
    }
    size_t last = processes->count > room ? processes->count - room : 0;
    processes->top = processes->top > last ? last : processes->top;
}

const tui_row *tui_processes_selected(const tui_processes *processes)
{
    return processes->count > 0 ? &processes->rows[processes->selected] : NULL;
}

void tui_processes_toggle_tag(tui_processes *processes)
{
    const tui_row *row = tui_processes_selected(processes);
    if (row == NULL) {
        return;
    }
    for (size_t i = 0; i < processes->tag_count; i++) {
        if (tui_process_key_equal(&processes->tags[i], &row->key)) {
            processes->tags[i] = processes->tags[--processes->tag_count];
            return;
        }
    }
    if (processes->tag_count == processes->tag_capacity) {
        size_t capacity = processes->tag_capacity * 2 + 16;
        tui_process_key *tags = reallocarray(processes->tags, capacity, sizeof *tags);
        if (tags == NULL) {
            return;
        }
        processes->tags = tags;
        processes->tag_capacity = capacity;
    }
    processes->tags[processes->tag_count++] = row->key;
}

void tui_processes_untag_all(tui_processes *processes)
{
    processes->tag_count = 0;
}

void tui_processes_free(tui_processes *processes)
{
    free(processes->rows);
    free(processes->tags);
    *processes = (tui_processes){ 0 };
}
