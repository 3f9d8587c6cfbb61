/*
 * A call as a line: what went in and what came out, by the roles of its parameters. Looks at no more of the program's memory than the
 * call itself may, and follows no pointer that the driver may have left unset.
 */
#include "trace.h"

#include "base/answer.h"
#include "base/clock.h"
#include "copy.h"
#include "query/value.h"

#include <nvpulse/status.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINE_BYTES 512 /* most lines are shorter */

static bool is_on; /* written once, before any call */

bool nvpshim__trace_begin(void)
{
    const char *path = secure_getenv("NVPULSE_TRACE");
    is_on = path != NULL && path[0] != '\0' && nvpshim__trace_file_begin(path);
    return is_on;
}

bool nvpshim__trace_is_on(void)
{
    return is_on;
}

static const void *pointer_of(uint64_t word)
{
    return (const void *)(uintptr_t)word;
}

/* An output is looked at after the call alone. */
static bool is_argument(const struct nvp__param *param)
{
    return param->role == NVP_ROLE_IN || param->role == NVP_ROLE_INOUT || param->role == NVP_ROLE_LENGTH ||
           param->role == NVP_ROLE_LENGTH_INOUT || param->role == NVP_ROLE_COUNT_INOUT || param->role == NVP_ROLE_CAPACITY ||
           param->role == NVP_ROLE_VALUES;
}

static bool is_counter(const struct nvp__param *param)
{
    return param->role == NVP_ROLE_LENGTH_INOUT || param->role == NVP_ROLE_COUNT_INOUT || param->role == NVP_ROLE_COUNT_OUT;
}

/* True for what is passed by itself and not by its address. */
static bool is_by_value(const struct nvp__param *param)
{
    return param->role == NVP_ROLE_LENGTH || param->role == NVP_ROLE_CAPACITY ||
           (param->role == NVP_ROLE_IN && param->kind != NVP_TYPE_STRUCT && param->kind != NVP_TYPE_CHAR);
}

static void write_decoded(struct nvp__out *out, const struct nvp__typed *typed, const void *at)
{
    nvp_value value = NVP_VALUE_INIT;
    nvp__value_decode(&value, typed, at);
    nvp__value_json_named(out, &value);
    nvp_value_clear(&value);
}

static void write_text(struct nvp__out *out, const char *text, size_t length)
{
    nvp_value value = NVP_VALUE_INIT;
    nvp__value_take_text(&value, text, length);
    nvp__value_json_named(out, &value);
    nvp_value_clear(&value);
}

/* One struct has an array of which a field tells how many are used; the others are used as a whole. */
static size_t used_items(const struct nvp__struct *row, const unsigned char *at, size_t count)
{
    unsigned int used;
    if (row != &nvp__structs[NVP_STRUCT_nvmlGpmMetricsGet_t]) {
        return count;
    }
    memcpy(&used, at + offsetof(nvmlGpmMetricsGet_t, numMetrics), sizeof(used));
    return used < count ? used : count;
}

/* The fields of a struct that have any of `flags`; all of them for 0. */
static void write_fields(struct nvp__out *out, const struct nvp__struct *row, const unsigned char *at, unsigned int flags)
{
    nvp_value whole = NVP_VALUE_INIT, item = NVP_VALUE_INIT;
    struct nvp__typed typed = { .kind = NVP_TYPE_STRUCT, .type = (short)(row - nvp__structs) };
    size_t count;
    const struct nvp__field *fields = nvp__struct_fields(row, &count);
    const char *separator = "{";
    nvp__value_decode(&whole, &typed, at);
    for (size_t i = 0; i < count; i++) {
        if (flags == 0 || (fields[i].flags & flags) != 0) {
            nvp__out_text(out, separator);
            nvp__out_json_text(out, nvp__text_at(fields[i].name));
            nvp__out_text(out, ":");
            nvp_value_at(&whole, i, &item);
            item.count = item.kind == NVP_KIND_LIST ? used_items(row, at, item.count) : item.count;
            nvp__value_json_named(out, &item);
            separator = ",";
        }
    }
    nvp__out_text(out, separator[0] == '{' ? "{}" : "}");
    nvp_value_clear(&item);
    nvp_value_clear(&whole);
}

/* Texts that a struct points at may not have been set: they are left out. */
static void forget_texts(const struct nvp__struct *row, unsigned char *at)
{
    const char *no_text = NULL;
    size_t count;
    const struct nvp__field *fields = nvp__struct_fields(row, &count);
    for (size_t i = 0; i < count; i++) {
        size_t elements = fields[i].count > 0 ? fields[i].count : 1;
        if (fields[i].kind == NVP_TYPE_POINTER) {
            memcpy(at + fields[i].offset, &no_text, sizeof(no_text));
        }
        for (size_t j = 0; j < elements && fields[i].kind == NVP_TYPE_STRUCT && (fields[i].flags & NVP_FIELD_ITEMS) == 0; j++) {
            forget_texts(nvp__struct_row(fields[i].type), at + fields[i].offset + j * fields[i].element_size);
        }
    }
}

static void write_struct(struct nvp__out *out, int type, const void *at, unsigned int flags)
{
    const struct nvp__struct *row = nvp__struct_row(type);
    unsigned char *copy = nvpshim__struct_bytes(row, at) >= row->size ? malloc(row->size) : NULL;
    if (copy == NULL) { /* of a version that the program knows and the table does not */
        nvp__out_text(out, "null");
        return;
    }
    memcpy(copy, at, row->size);
    forget_texts(row, copy);
    write_fields(out, row, copy, flags);
    free(copy);
}

static void write_list(struct nvp__out *out, const struct nvp__param *param, const unsigned char *at, size_t count,
                       unsigned int flags)
{
    struct nvp__typed typed = nvp__typed_of_param(param);
    nvp__out_text(out, "[");
    for (size_t i = 0; i < count; i++) {
        nvp__out_text(out, i > 0 ? "," : "");
        if (param->kind == NVP_TYPE_STRUCT) {
            write_struct(out, param->type, at + i * typed.element_size, flags);
        } else {
            write_decoded(out, &typed, at + i * typed.element_size);
        }
    }
    nvp__out_text(out, "]");
}

/* A number of the program's own: all bits set is none that a driver has left out. */
static void write_number(struct nvp__out *out, const struct nvp__param *param, const void *at)
{
    struct nvp__typed typed = nvp__typed_of_param(param);
    typed.mask = typed.mask || typed.type == 0;
    write_decoded(out, &typed, at);
}

static void write_argument(struct nvpshim__line *line, const struct nvp__param *param, size_t position)
{
    const void *at = pointer_of(line->words[position]);
    if (is_by_value(param)) {
        write_number(&line->out, param, &line->words[position]);
    } else if (at == NULL) {
        nvp__out_text(&line->out, "null");
    } else if (param->role == NVP_ROLE_VALUES) {
        size_t count = (size_t)nvpshim__count_before(line->function, line->words, position);
        write_list(&line->out, param, at, count, NVP_FIELD_INPUT);
    } else if (param->kind == NVP_TYPE_CHAR) {
        write_text(&line->out, at, strlen(at));
    } else if (param->kind == NVP_TYPE_STRUCT) {
        write_struct(&line->out, param->type, at, param->role == NVP_ROLE_IN ? 0 : NVP_FIELD_INPUT | NVP_FIELD_VERSION);
    } else {
        write_number(&line->out, param, at);
    }
}

static void begin_member(struct nvp__out *out, const char **separator, const char *name)
{
    nvp__out_text(out, *separator);
    nvp__out_json_text(out, name);
    nvp__out_text(out, ":");
    *separator = ",";
}

void nvpshim__line_begin(struct nvpshim__line *line, const struct nvp__function *function, const uint64_t *words)
{
    const struct nvp__param *params = nvp__function_params(function);
    const char *separator = "";
    line->function = function;
    line->words = words;
    line->out = nvp__out_growing(LINE_BYTES);
    nvp__out_format(&line->out, "{\"function\":\"%s\",\"arguments\":{", function->public.name);
    for (size_t i = 0; i < function->public.parameter_count; i++) {
        line->counts[i] = nvpshim__count_before(function, words, i);
        if (is_argument(&params[i])) {
            begin_member(&line->out, &separator, nvp__text_at(params[i].name));
            write_argument(line, &params[i], i);
        }
    }
    line->time_us = nvp__wall_us();
    line->begin_ns = nvp__clock_ns();
}

static void write_items(struct nvpshim__line *line, const struct nvp__param *params, size_t position)
{
    const struct nvp__param *counter = &params[params[position].link];
    size_t count = line->counts[position];
    if (is_counter(counter) && line->words[params[position].link] != 0) {
        uint32_t told;
        memcpy(&told, pointer_of(line->words[params[position].link]), sizeof(told));
        count = counter->role == NVP_ROLE_COUNT_OUT || told < count ? told : count;
    }
    write_list(&line->out, &params[position], pointer_of(line->words[position]), count, 0);
}

static void write_output(struct nvpshim__line *line, const struct nvp__param *params, size_t position)
{
    const struct nvp__param *param = &params[position];
    const void *at = pointer_of(line->words[position]);
    struct nvp__typed typed = nvp__typed_of_param(param);
    if (at == NULL || (param->role == NVP_ROLE_BLOB && line->counts[position] < typed.element_size)) {
        nvp__out_text(&line->out, "null");
    } else if (param->role == NVP_ROLE_TEXT) {
        write_text(&line->out, at, strnlen(at, line->counts[position]));
    } else if (param->role == NVP_ROLE_ITEMS || param->role == NVP_ROLE_VALUES) {
        write_items(line, params, position);
    } else if (param->kind == NVP_TYPE_STRUCT) {
        write_struct(&line->out, param->type, at, 0);
    } else {
        write_decoded(&line->out, &typed, at);
    }
}

static void write_outputs(struct nvpshim__line *line, nvmlReturn_t result)
{
    const struct nvp__param *params = nvp__function_params(line->function);
    const char *separator = "";
    for (size_t i = 0; i < line->function->public.parameter_count; i++) {
        bool tells_need = result == NVML_ERROR_INSUFFICIENT_SIZE && is_counter(&params[i]);
        bool is_output = nvp__role_is_output(params[i].role) || is_counter(&params[i]);
        if (tells_need || (result == NVML_SUCCESS && is_output)) {
            begin_member(&line->out, &separator, nvp__text_at(params[i].name));
            write_output(line, params, i);
        }
    }
}

/* What follows the outputs, and the line to the file. */
static void finish(struct nvpshim__line *line, nvmlReturn_t result, int64_t end_ns)
{
    nvp__out_format(&line->out, "},\"result\":%d,\"result_name\":\"%s\",\"time_us\":%" PRId64 ",\"duration_ns\":%" PRId64,
                    (int)result, nvp_status_name(nvp__status_of_answer(result)), line->time_us, end_ns - line->begin_ns);
    nvp__out_format(&line->out, ",\"pid\":%d,\"tid\":%ld}\n", (int)getpid(), syscall(SYS_gettid));
    size_t length = line->out.length;
    char *text = nvp__out_take(&line->out);
    if (text != NULL) {
        nvpshim__trace_file_write(text, length);
    }
    free(text);
}

void nvpshim__line_end(struct nvpshim__line *line, nvmlReturn_t result)
{
    int64_t end_ns = nvp__clock_ns();
    nvp__out_text(&line->out, "},\"outputs\":{");
    write_outputs(line, result);
    finish(line, result, end_ns);
}

void nvpshim__line_end_text(struct nvpshim__line *line, const char *text)
{
    int64_t end_ns = nvp__clock_ns();
    nvp__out_text(&line->out, "},\"outputs\":{\"text\":");
    write_text(&line->out, text, strlen(text));
    finish(line, NVML_SUCCESS, end_ns);
}
