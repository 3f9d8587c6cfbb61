/*
 * Processes as a table for people, and as JSON or CSV for programs. What is N/A is null, or an empty field, there.
 */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "processes.h"
#include "text.h"

/* Writes a text of any length as a cell; a foreign pid is marked. */
static void add_cell(cli_table *table, const nvp_process *process, nvp_process_field field)
{
    char text[64];
    const nvp_reading *reading = nvp_process_get(process, field);
    if (!nvp_reading_has(reading)) {
        cli_table_add(table, CLI_DIM, "N/A");
    } else if (reading->kind == NVP_KIND_TEXT) {
        cli_table_add(table, CLI_PLAIN, reading->as.text);
    } else {
        bool is_marked = field == NVP_PROCESS_PID && nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_FOREIGN), 0) == 1;
        process_format(process, field, text, sizeof text);
        cli_table_addf(table, is_marked ? CLI_DIM : CLI_PLAIN, "%s%s", text, is_marked ? "*" : "");
    }
}

/* Columns that were chosen leave from the right; the first one stays. */
static void choose_columns(const process_view *view, bool is_usual, cli_column *columns)
{
    size_t count = view->columns.count;
    for (size_t i = 0; i < count; i++) {
        columns[i] = process_column(view->columns.fields[i]);
        if (!is_usual && i > 0) {
            columns[i].leaves = (unsigned int)(count - i);
        } else if (!is_usual) {
            columns[i].leaves = 0;
        }
    }
}

static bool any_foreign(const nvp_process *const *processes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (nvp_reading_uint(nvp_process_get(processes[i], NVP_PROCESS_FOREIGN), 0) == 1) {
            return true;
        }
    }
    return false;
}

/* How many processes have the same reason as this one, which is counted when it is the first of them; else 0. */
static size_t count_same(const nvp_process *const *processes, size_t count, size_t place, nvp_process_field field)
{
    nvp_status status = nvp_process_get(processes[place], field)->status;
    size_t same = 0;
    for (size_t i = 0; i < count; i++) {
        const nvp_reading *reading = nvp_process_get(processes[i], field);
        bool is_same = !nvp_reading_has(reading) && reading->status == status;
        if (is_same && i < place) {
            return 0;
        }
        same += is_same;
    }
    return same;
}

static bool print_reasons(const nvp_process *const *processes, size_t count, const process_view *view, FILE *out)
{
    static const cli_column columns[] = {
        { "N/A", CLI_LEFT, 0, 10, false },
        { "Processes", CLI_RIGHT, 0, 0, false },
        { "Reason", CLI_LEFT, 0, 10, false },
        { "Status", CLI_LEFT, 1, 8, false },
    };
    cli_table table = CLI_TABLE_INIT(columns, &view->terminal);
    for (size_t column = 0; column < view->columns.count; column++) {
        nvp_process_field field = view->columns.fields[column];
        nvp_status last = NVP_SUCCESS; /* neighbours have mostly the same */
        for (size_t i = 0; i < count; i++) {
            const nvp_reading *reading = nvp_process_get(processes[i], field);
            if (nvp_reading_has(reading) || reading->status == last) {
                continue;
            }
            last = reading->status;
            size_t same = count_same(processes, count, i, field);
            if (same > 0) {
                cli_table_add(&table, CLI_PLAIN, nvp_process_field_get(field)->name);
                cli_table_addf(&table, CLI_PLAIN, "%zu", same);
                cli_table_add(&table, CLI_PLAIN, nvp_reason_text(reading->reason));
                cli_table_add(&table, CLI_DIM, nvp_status_name(reading->status));
            }
        }
    }
    bool done = true;
    if (table.cell_count > 0 || table.failed) {
        fputc('\n', out);
        done = cli_table_print(&table, &view->terminal, out);
    }
    cli_table_free(&table);
    return done;
}

/* A line of its own, as wide as the terminal. */
static bool print_line(const char *text, cli_style style, const cli_terminal *terminal, FILE *out)
{
    char *clean = cli_text_clean(text, terminal->utf8);
    char *line = clean == NULL ? NULL : cli_text_shorten(clean, terminal->width == 0 ? 4096 : terminal->width, terminal->utf8);
    if (line != NULL) {
        fprintf(out, "%s%s%s\n", cli_terminal_style(terminal, style), line, cli_terminal_reset(terminal, style));
    }
    bool done = line != NULL;
    free(clean);
    free(line);
    return done;
}

static bool print_banner(const nvp_snapshot *snapshot, const cli_terminal *terminal, FILE *out)
{
    const nvp_reading *simulation = nvp_snapshot_host(snapshot, NVP_HOST_SIMULATION);
    char text[256];
    if (!nvp_reading_has(simulation)) {
        return true;
    }
    snprintf(text, sizeof text, "SIMULATED: %s", nvp_reading_text(simulation, ""));
    return print_line(text, CLI_YELLOW, terminal, out);
}

bool process_print_table(const nvp_snapshot *snapshot, const nvp_process *const *processes, size_t count,
                         const process_view *view, FILE *out)
{
    cli_column columns[NVP_PROCESS_FIELD_COUNT];
    bool is_usual =
        process_fields_have(&view->columns, NVP_PROCESS_COMMAND) && process_column(view->columns.fields[0]).leaves == 0;
    choose_columns(view, is_usual, columns);
    cli_table table = { .columns = columns, .column_count = view->columns.count, .utf8 = view->terminal.utf8 };
    for (size_t i = 0; i < count; i++) {
        for (size_t column = 0; column < view->columns.count; column++) {
            add_cell(&table, processes[i], view->columns.fields[column]);
        }
    }
    bool done = print_banner(snapshot, &view->terminal, out);
    if (count == 0 && !table.failed) {
        done = done && print_line("no processes", CLI_PLAIN, &view->terminal, out);
    } else {
        done = done && cli_table_print(&table, &view->terminal, out);
    }
    cli_table_free(&table);
    if (process_fields_have(&view->columns, NVP_PROCESS_PID) && any_foreign(processes, count)) {
        done = done && print_line("* of another pid namespace, or not known here", CLI_DIM, &view->terminal, out);
    }
    return done && (!view->verbose || print_reasons(processes, count, view, out));
}

static void put_types(cli_json *json, const char *key, uint64_t types)
{
    static const char *const words[] = { "compute", "graphics", "mps" }; /* as in the JSON of snapshots */
    cli_json_open(json, key, '[');
    for (unsigned int bit = 0; bit < 3; bit++) {
        if ((types >> bit & 1) != 0) {
            cli_json_text(json, NULL, words[bit]);
        }
    }
    cli_json_close(json, ']');
}

static void put_field(cli_json *json, const nvp_process *process, const nvp_process_field_info *info)
{
    const nvp_reading *reading = nvp_process_get(process, info->field);
    if (!nvp_reading_has(reading)) {
        cli_json_null(json, info->name);
    } else if (reading->kind == NVP_KIND_TEXT) {
        cli_json_text(json, info->name, reading->as.text);
    } else if (info->field == NVP_PROCESS_TYPE) {
        put_types(json, info->name, nvp_reading_uint(reading, 0));
    } else if (info->field == NVP_PROCESS_FOREIGN) {
        cli_json_bool(json, info->name, nvp_reading_uint(reading, 0) != 0);
    } else if (reading->kind == NVP_KIND_REAL) {
        cli_json_real(json, info->name, reading->as.real_value);
    } else {
        cli_json_number(json, info->name, (long long)nvp_reading_uint(reading, 0));
    }
}

static void put_process(cli_json *json, const nvp_process *process, const process_fields *fields)
{
    cli_json_open(json, NULL, '{');
    for (size_t i = 0; i < fields->count; i++) {
        put_field(json, process, nvp_process_field_get(fields->fields[i]));
    }
    cli_json_open(json, "na", '{');
    for (size_t i = 0; i < fields->count; i++) {
        const nvp_reading *reading = nvp_process_get(process, fields->fields[i]);
        if (!nvp_reading_has(reading)) {
            cli_json_text(json, nvp_process_field_get(fields->fields[i])->name, nvp_reason_word(reading->reason));
        }
    }
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}

bool process_print_json(const nvp_snapshot *snapshot, const nvp_process *const *processes, size_t count, const process_view *view,
                        FILE *out)
{
    bool failed = false;
    if (view->form == PROCESS_JSONL) {
        for (size_t i = 0; i < count; i++) {
            cli_json json = CLI_JSON_INIT_LINE(out);
            put_process(&json, processes[i], &view->columns);
            fputc('\n', out);
            failed = failed || json.failed;
        }
        return !failed;
    }
    cli_json json = CLI_JSON_INIT_LINE(out);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "nvpulse.processes/1");
    cli_json_number(&json, "time_us", nvp_snapshot_time_us(snapshot));
    cli_json_bool(&json, "simulated", nvp_reading_has(nvp_snapshot_host(snapshot, NVP_HOST_SIMULATION)));
    cli_json_bool(&json, "complete", nvp_snapshot_process_status(snapshot) == NVP_SUCCESS);
    cli_json_open(&json, "processes", '[');
    for (size_t i = 0; i < count; i++) {
        put_process(&json, processes[i], &view->columns);
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    fputc('\n', out);
    return !json.failed;
}

/* A text in quotes where it has to be; control characters have no place in a table. */
static bool put_csv_text(const char *text, FILE *out)
{
    char *clean = cli_text_clean(text, true);
    if (clean == NULL) {
        return false;
    }
    bool is_quoted = strpbrk(clean, ",\"") != NULL || clean[0] == ' ' || clean[0] == '\0';
    fputs(is_quoted ? "\"" : "", out);
    for (const char *at = clean; *at != '\0'; at++) {
        fputs(*at == '"' ? "\"" : "", out);
        fputc(*at, out);
    }
    fputs(is_quoted ? "\"" : "", out);
    free(clean);
    return true;
}

static bool put_csv(const nvp_process *process, nvp_process_field field, FILE *out)
{
    const nvp_reading *reading = nvp_process_get(process, field);
    if (!nvp_reading_has(reading)) {
        return true;
    }
    if (reading->kind == NVP_KIND_TEXT) {
        return put_csv_text(reading->as.text, out);
    }
    if (field == NVP_PROCESS_TYPE) {
        fputs(nvp_process_type_text(nvp_reading_uint(reading, 0)), out);
    } else if (reading->kind == NVP_KIND_REAL) {
        cli_json_put_real(reading->as.real_value, out);
    } else {
        fprintf(out, "%llu", (unsigned long long)nvp_reading_uint(reading, 0));
    }
    return true;
}

void process_print_csv_header(const process_view *view, FILE *out)
{
    for (size_t i = 0; i < view->columns.count; i++) {
        fprintf(out, "%s%s", i > 0 ? "," : "", nvp_process_field_get(view->columns.fields[i])->name);
    }
    fputc('\n', out);
}

bool process_print_csv(const nvp_process *const *processes, size_t count, const process_view *view, FILE *out)
{
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        for (size_t column = 0; column < view->columns.count; column++) {
            fputs(column > 0 ? "," : "", out);
            done = put_csv(processes[i], view->columns.fields[column], out) && done;
        }
        fputc('\n', out);
    }
    return done;
}
