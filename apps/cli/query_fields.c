/*
 * The properties that can be asked for: those of the table of metrics under nvidia-smi's names, and a few that are no metrics of a device.
 * Knows nothing of how values are written.
 */
#include <stdlib.h>
#include <string.h>

#include "query.h"
#include "suggest.h"

#define METRIC(name, metric_, unit_, help_)                                                                                      \
    {                                                                                                                            \
        .names = (name), .source = QUERY_METRIC, .metric = (metric_), .unit = (unit_), .help = (help_)                           \
    }
#define OTHER(name, source_, unit_, help_)                                                                                       \
    {                                                                                                                            \
        .names = (name), .source = (source_), .unit = (unit_), .help = (help_)                                                   \
    }

#define TIMESTAMP OTHER("timestamp", QUERY_TIMESTAMP, "", "When the query was made: YYYY/MM/DD HH:MM:SS.msec, local time")

/* Beside the metrics; a name here goes before the same name there. */
static const query_field gpu_fields[] = {
    TIMESTAMP,
    OTHER("driver_version", QUERY_DRIVER_VERSION, "", "Version of the driver"),
    OTHER("count", QUERY_COUNT, "", "Number of GPUs"),
    OTHER("index", QUERY_INDEX, "", "Index of the GPU"),
    { .names = "display_attached",
      .source = QUERY_METRIC,
      .metric = NVP_METRIC_MODE_DISPLAY_ATTACHED,
      .unit = "",
      .help = "Whether a display is attached",
      .says_yes = true },
    METRIC("ecc.errors.corrected.aggregate.dram", NVP_METRIC_ECC_CORRECTED_AGGREGATE_DEVICE_MEMORY, "",
           "The same as ecc.errors.corrected.aggregate.device_memory"),
    METRIC("ecc.errors.corrected.volatile.dram", NVP_METRIC_ECC_CORRECTED_VOLATILE_DEVICE_MEMORY, "",
           "The same as ecc.errors.corrected.volatile.device_memory"),
    METRIC("ecc.errors.uncorrected.aggregate.dram", NVP_METRIC_ECC_UNCORRECTED_AGGREGATE_DEVICE_MEMORY, "",
           "The same as ecc.errors.uncorrected.aggregate.device_memory"),
    METRIC("ecc.errors.uncorrected.volatile.dram", NVP_METRIC_ECC_UNCORRECTED_VOLATILE_DEVICE_MEMORY, "",
           "The same as ecc.errors.uncorrected.volatile.device_memory"),
    METRIC("pcie.link.gen.gpucurrent", NVP_METRIC_PCIE_LINK_GENERATION, "", "The same as pcie.link.gen.current"),
};

static const query_field app_fields[] = {
    TIMESTAMP,
    METRIC("gpu_name", NVP_METRIC_IDENTITY_NAME, "", "Name of the GPU"),
    METRIC("gpu_bus_id", NVP_METRIC_IDENTITY_PCI_BUS_ID, "", "PCI bus id of the GPU"),
    METRIC("gpu_serial", NVP_METRIC_IDENTITY_SERIAL, "", "Serial number of its board"),
    METRIC("gpu_uuid", NVP_METRIC_IDENTITY_UUID, "", "UUID of the GPU, also for a process on a MIG device"),
    OTHER("pid", QUERY_PID, "", "Process id"),
    OTHER("process_name|name", QUERY_PROCESS_NAME, "", "Its program, as it was started"),
    OTHER("used_gpu_memory|used_memory", QUERY_PROCESS_MEMORY, "MiB", "Memory of the GPU that it uses"),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/** The fields of one kind of query: a table, and for GPUs the metrics behind it. */
static const query_field *table_of(query_kind kind, size_t *count)
{
    *count = kind == QUERY_GPUS ? COUNT(gpu_fields) : COUNT(app_fields);
    return kind == QUERY_GPUS ? gpu_fields : app_fields;
}

static bool is_among(const char *name, size_t length, const char *names)
{
    for (const char *one = names; *one != '\0'; one += strcspn(one, "|"), one += *one == '|') {
        if (strcspn(one, "|") == length && memcmp(one, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Field `place` of a kind: the table first, then the metrics with a name of nvidia-smi's that is not in the table. */
static bool field_at(query_kind kind, size_t place, query_field *field)
{
    size_t count;
    const query_field *table = table_of(kind, &count);
    if (place < count) {
        *field = table[place];
        return true;
    }
    const nvp_metric_info *info = kind == QUERY_GPUS ? nvp_metric_get((nvp_metric)(place - count)) : NULL;
    if (info == NULL) {
        return false;
    }
    bool is_index = info->metric == NVP_METRIC_IDENTITY_INDEX; /* in the table: it is known of a lost GPU, too */
    *field = (query_field){ .names = is_index ? "" : info->smi_name,
                            .source = QUERY_METRIC,
                            .metric = info->metric,
                            .unit = info->smi_unit,
                            .help = info->help };
    return true;
}

static bool find_field(query_kind kind, const char *name, query_field *field)
{
    for (size_t i = 0; field_at(kind, i, field); i++) {
        if (is_among(name, strlen(name), field->names)) {
            return true;
        }
    }
    return false;
}

/* Calls `take` with each single name of a kind. */
static void each_name(query_kind kind, void (*take)(void *context, const char *name), void *context)
{
    query_field field;
    for (size_t i = 0; field_at(kind, i, &field); i++) {
        for (const char *one = field.names; *one != '\0'; one += strcspn(one, "|"), one += *one == '|') {
            char name[96];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(one, "|"), one);
            take(context, name);
        }
    }
}

/** The nearest name so far; a copy, because names are cut out of their lists. */
struct nearest {
    cli_suggestion suggestion;
    char name[96];
};

static void offer(void *context, const char *name)
{
    struct nearest *nearest = context;
    cli_suggestion_offer(&nearest->suggestion, name);
    if (nearest->suggestion.nearest == name) {
        snprintf(nearest->name, sizeof nearest->name, "%s", name);
        nearest->suggestion.nearest = nearest->name;
    }
}

/* In nvidia-smi's words, which scripts may look for, and in ours. */
static int refuse_field(const cli_command *command, query_kind kind, const char *name)
{
    const char *help = kind == QUERY_GPUS ? "--help-query-gpu" : "--help-query-compute-apps";
    struct nearest nearest = { CLI_SUGGESTION_FOR(name), "" };
    each_name(kind, offer, &nearest);
    cli_fail(0, command, "Field \"%s\" is not a valid field to query.", name);
    if (nearest.suggestion.nearest != NULL) {
        return cli_fail(CLI_USAGE, command, "did you mean '%s'? %s lists them all", nearest.name, help);
    }
    return cli_fail(CLI_USAGE, command, "%s lists the fields there are", help);
}

/* Adds a field; false when memory ran out. */
static bool add_field(query_columns *columns, const query_field *field)
{
    query_field *fields = reallocarray(columns->fields, columns->count + 1, sizeof *fields);
    if (fields == NULL) {
        return false;
    }
    columns->fields = fields;
    fields[columns->count++] = *field;
    return true;
}

static int add_named(query_columns *columns, const cli_command *command, const char *begin, size_t length)
{
    query_field field;
    while (length > 0 && *begin == ' ') {
        begin++;
        length--;
    }
    while (length > 0 && begin[length - 1] == ' ') {
        length--;
    }
    char *name = strndup(begin, length);
    int code = CLI_OK;
    if (name == NULL) {
        code = cli_no_memory(command);
    } else if (!find_field(columns->kind, name, &field)) {
        code = refuse_field(command, columns->kind, name);
    } else if (!add_field(columns, &field)) {
        code = cli_no_memory(command);
    }
    free(name);
    return code;
}

int query_columns_parse(query_columns *columns, const cli_command *command, query_kind kind, const char *list)
{
    columns->kind = kind;
    int code = CLI_OK;
    for (const char *one = list; code == CLI_OK && one != NULL;) {
        const char *comma = strchrnul(one, ',');
        code = add_named(columns, command, one, (size_t)(comma - one));
        one = *comma == ',' ? comma + 1 : NULL;
    }
    return code;
}

nvp_metric *query_columns_metrics(const query_columns *columns, size_t *count)
{
    nvp_metric *metrics = reallocarray(NULL, columns->count + 1, sizeof *metrics);
    *count = 0;
    for (size_t i = 0; metrics != NULL && i < columns->count; i++) {
        if (columns->fields[i].source == QUERY_METRIC) {
            metrics[(*count)++] = columns->fields[i].metric;
        }
    }
    if (metrics != NULL && *count == 0) { /* none would mean all of them */
        metrics[(*count)++] = NVP_METRIC_IDENTITY_UUID;
    }
    return metrics;
}

void query_columns_free(query_columns *columns)
{
    free(columns->fields);
    *columns = (query_columns){ 0 };
}

/* "name" or "gpu_name" */
static void print_names(const char *names, FILE *out)
{
    for (const char *one = names; *one != '\0'; one += strcspn(one, "|"), one += *one == '|') {
        fprintf(out, "%s\"%.*s\"", one == names ? "" : " or ", (int)strcspn(one, "|"), one);
    }
}

void query_fields_help(query_kind kind, FILE *out)
{
    query_field field;
    fprintf(out, "List of valid properties to query for the switch \"%s\":\n",
            kind == QUERY_GPUS ? "--query-gpu=" : "--query-compute-apps=");
    for (size_t i = 0; field_at(kind, i, &field); i++) {
        if (field.names[0] == '\0') {
            continue;
        }
        fputs("\n", out);
        print_names(field.names, out);
        fprintf(out, "\n%s%s%s.\n", field.help, field.unit[0] != '\0' ? ", in " : "", field.unit);
    }
}
