/*
 * How a function is called from the command line: a usage line, its parameters, the names that each of them takes.
 */
#include <string.h>

#include "call.h"

/** Enum values are looked for up to here, and at every power of two; the enums of NVML stay far below. */
#define HIGHEST_VALUE 255

static void print_word(const nvp_parameter *parameter, FILE *out)
{
    const char *open = parameter->optional ? "[" : "", *close = parameter->optional ? "]" : "";
    if (call_handle_is_device(parameter)) {
        fprintf(out, " %s--gpu GPU%s", open, close);
    } else if (call_handle_is_unit(parameter)) {
        fprintf(out, " %s--unit N%s", open, close);
    } else if (!parameter->is_struct || call_parameter_is_fields(parameter)) {
        fprintf(out, " %s%s%s", open, parameter->name, close);
    } else if (!parameter->optional) {
        fprintf(out, " (%s)", parameter->name);
    }
}

/* Such a name says how many values there are; it is none of them. */
static bool is_count(const char *name)
{
    static const char ending[] = "_COUNT";
    size_t length = strlen(name);
    return length > strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0;
}

static void print_enum_names(const char *enum_name, FILE *out)
{
    for (int64_t value = -1; value <= HIGHEST_VALUE; value++) {
        const char *name = nvp_enum_value_name(enum_name, value);
        if (name != NULL && !is_count(name)) {
            fprintf(out, "      %s (%lld)\n", name, (long long)value);
        }
    }
    for (int bit = 8; bit < 63; bit++) {
        const char *name = nvp_enum_value_name(enum_name, (int64_t)1 << bit);
        if (name != NULL) {
            fprintf(out, "      %s (0x%llx)\n", name, 1ull << bit);
        }
    }
}

static const char *describe(const nvp_parameter *parameter)
{
    if (call_handle_is_device(parameter)) {
        return "; --gpu with an index, a UUID or a PCI bus id";
    }
    if (call_handle_is_unit(parameter)) {
        return "; --unit with an index";
    }
    if (parameter->is_handle) {
        return "; cannot be given on the command line";
    }
    if (call_parameter_is_fields(parameter)) {
        return "; FIELD[:SCOPE],... with ids or names such as NVML_FI_DEV_POWER_INSTANT";
    }
    if (parameter->is_struct) {
        return parameter->optional ? "; supplied empty" : "; cannot be given on the command line";
    }
    return parameter->enum_name != NULL ? "; a number or one of" : "";
}

void call_usage_print(const nvp_function *function, FILE *out)
{
    nvp_parameter parameter;
    fprintf(out, "Usage: " CLI_NAME " call %s%s", function->name, function->writes ? " --allow-write" : "");
    for (size_t i = 0; nvp_function_parameter(function, i, &parameter) == NVP_SUCCESS; i++) {
        if (parameter.supplied) {
            print_word(&parameter, out);
        }
    }
    fputc('\n', out);
    for (size_t i = 0; nvp_function_parameter(function, i, &parameter) == NVP_SUCCESS; i++) {
        if (!parameter.supplied) {
            continue;
        }
        fprintf(out, "  %s: %s%s\n", parameter.name, parameter.ctype, describe(&parameter));
        if (parameter.enum_name != NULL && !parameter.is_struct) {
            print_enum_names(parameter.enum_name, out);
        }
    }
}
