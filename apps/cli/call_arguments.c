/*
 * The arguments of a call: matches words with parameters, reads them, and resolves handles. Guesses nothing: what it
 * cannot read, it refuses with the usage of the function.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

bool call_handle_is_device(const nvp_parameter *parameter)
{
    return parameter->is_handle && strncmp(parameter->ctype, "nvmlDevice_t", strlen("nvmlDevice_t")) == 0;
}

bool call_handle_is_unit(const nvp_parameter *parameter)
{
    return parameter->is_handle && strncmp(parameter->ctype, "nvmlUnit_t", strlen("nvmlUnit_t")) == 0;
}

bool call_parameter_is_fields(const nvp_parameter *parameter)
{
    return strncmp(parameter->ctype, "nvmlFieldValue_t", strlen("nvmlFieldValue_t")) == 0;
}

/* The slots, one for each parameter that the caller supplies. */
static bool lay_out(call_arguments *arguments, const nvp_function *function)
{
    nvp_parameter parameter;
    for (size_t i = 0; nvp_function_parameter(function, i, &parameter) == NVP_SUCCESS; i++) {
        if (!parameter.supplied) {
            continue;
        }
        if (arguments->count == CALL_PARAMETERS_MAX) {
            cli_fail(CLI_USAGE, &cli_call_command, "%s has too many parameters", function->name);
            return false;
        }
        arguments->slots[arguments->count++] = (call_slot){ .parameter = parameter, .arg = nvp_arg_default() };
    }
    return true;
}

/* The slot whose parameter `word` names by "NAME=", or NULL. */
static call_slot *slot_named_in(call_arguments *arguments, const char *word)
{
    const char *equals = strchr(word, '=');
    for (size_t i = 0; equals != NULL && i < arguments->count; i++) {
        const char *name = arguments->slots[i].parameter.name;
        if (strlen(name) == (size_t)(equals - word) && strncmp(name, word, strlen(name)) == 0) {
            return &arguments->slots[i];
        }
    }
    return NULL;
}

static bool takes_words(const nvp_parameter *parameter)
{
    return !parameter->is_handle && (!parameter->is_struct || call_parameter_is_fields(parameter));
}

/* The first slot that a bare word can fill, or NULL. */
static call_slot *next_free_slot(call_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        if (arguments->slots[i].text == NULL && takes_words(&arguments->slots[i].parameter)) {
            return &arguments->slots[i];
        }
    }
    return NULL;
}

static bool place_words(call_arguments *arguments, const call_request *request)
{
    for (int i = 0; i < request->operand_count; i++) {
        const char *word = request->operands[i];
        call_slot *named = slot_named_in(arguments, word);
        call_slot *slot = named != NULL ? named : next_free_slot(arguments);
        if (slot == NULL) {
            cli_fail(CLI_USAGE, &cli_call_command, "%s: nothing to do with '%s'", request->function->name, word);
            return false;
        }
        if (slot->text != NULL) {
            cli_fail(CLI_USAGE, &cli_call_command, "%s: '%s' is given twice", request->function->name, slot->parameter.name);
            return false;
        }
        slot->text = named != NULL ? strchr(word, '=') + 1 : word;
    }
    return true;
}

/* Gives the handles named by --gpu or --unit to the parameters of that type that have none yet. */
static void place_handles(call_arguments *arguments, call_names *names, bool (*fits)(const nvp_parameter *))
{
    for (size_t i = 0; i < arguments->count && names->used < names->count; i++) {
        call_slot *slot = &arguments->slots[i];
        if (slot->text == NULL && fits(&slot->parameter)) {
            slot->text = names->names[names->used++];
        }
    }
}

/* Reads one number or name that ends at `end`. */
static bool read_term(const char *text, size_t length, int64_t *value, bool *is_negative)
{
    char word[128];
    if (length == 0 || length >= sizeof word) {
        return false;
    }
    memcpy(word, text, length);
    word[length] = '\0';
    *is_negative = word[0] == '-';
    const char *digits = word + (*is_negative ? 1 : 0);
    if (!isdigit((unsigned char)digits[0])) {
        return !*is_negative && nvp_constant_find(word, value) == NVP_SUCCESS;
    }
    bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    char *end;
    errno = 0;
    if (*is_negative) {
        *value = strtoll(word, &end, hexadecimal ? 16 : 10);
    } else {
        *value = (int64_t)strtoull(word, &end, hexadecimal ? 16 : 10);
    }
    return errno == 0 && *end == '\0';
}

bool call_number_read(const char *text, nvp_arg *number)
{
    uint64_t sum = 0;
    bool is_negative = false;
    for (const char *term = text;; term++) {
        size_t length = strcspn(term, "|");
        int64_t value;
        bool term_is_negative;
        if (!read_term(term, length, &value, &term_is_negative)) {
            return false;
        }
        is_negative = is_negative || term_is_negative;
        sum |= (uint64_t)value;
        term += length;
        if (*term == '\0') {
            break;
        }
    }
    *number = is_negative ? nvp_arg_int((int64_t)sum) : nvp_arg_uint(sum);
    return true;
}

static bool is_beyond_32_bits(const nvp_arg *number)
{
    return number->kind == NVP_ARG_INT ? (int64_t)number->number < INT32_MIN : number->number > UINT32_MAX;
}

/* A number of 32 bits; -1 stands for all of them set. */
static bool read_word(const char *text, unsigned int *word)
{
    nvp_arg number;
    if (!call_number_read(text, &number) || is_beyond_32_bits(&number)) {
        return false;
    }
    *word = (unsigned int)number.number;
    return true;
}

/* Reads "FIELD[:SCOPE],..." into an array of field values to be filled. */
static bool read_fields(call_slot *slot)
{
    size_t count = 1;
    for (const char *comma = strchr(slot->text, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        count++;
    }
    slot->fields = calloc(count, sizeof *slot->fields);
    char *copy = strdup(slot->text);
    bool done = slot->fields != NULL && copy != NULL;
    char *rest = copy;
    for (size_t i = 0; done && i < count; i++) {
        char *field = strsep(&rest, ","), *scope = strchr(field, ':');
        unsigned int id = 0, scope_id = 0;
        if (scope != NULL) {
            *scope++ = '\0';
        }
        done = read_word(field, &id) && (scope == NULL || read_word(scope, &scope_id));
        if (done) {
            slot->fields[i] = (nvmlFieldValue_t){ .fieldId = id, .scopeId = scope_id };
        }
    }
    free(copy);
    if (done) {
        slot->arg = nvp_arg_data(slot->fields, count * sizeof *slot->fields);
    }
    return done;
}

static bool is_too_big(const nvp_parameter *parameter, const nvp_arg *number)
{
    return strstr(parameter->ctype, "long") == NULL && is_beyond_32_bits(number);
}

/* What is wrong with what was given for a parameter; NULL when nothing is. */
static const char *read_slot(call_slot *slot)
{
    const nvp_parameter *parameter = &slot->parameter;
    if (parameter->is_handle && !call_handle_is_device(parameter) && !call_handle_is_unit(parameter)) {
        return "is a handle of a type that cannot be given on the command line";
    }
    if (parameter->is_struct && !call_parameter_is_fields(parameter) && (slot->text != NULL || !parameter->optional)) {
        return "is a struct, which cannot be given on the command line; nvp_query() in a program takes one";
    }
    if (slot->text == NULL) {
        return parameter->optional ? NULL : "is missing";
    }
    if (parameter->is_handle) {
        return NULL;
    }
    if (parameter->is_text) {
        slot->arg = nvp_arg_text(slot->text);
        return NULL;
    }
    if (call_parameter_is_fields(parameter)) {
        return read_fields(slot) ? NULL : "is no list of fields";
    }
    if (!call_number_read(slot->text, &slot->arg)) {
        return "is neither a number nor the name of a constant";
    }
    return is_too_big(parameter, &slot->arg) ? "does not fit" : NULL;
}

static bool read_slots(call_arguments *arguments, const nvp_function *function)
{
    for (size_t i = 0; i < arguments->count; i++) {
        call_slot *slot = &arguments->slots[i];
        const char *problem = read_slot(slot);
        if (problem == NULL) {
            continue;
        }
        if (slot->text != NULL && takes_words(&slot->parameter)) {
            cli_fail(CLI_USAGE, &cli_call_command, "%s: '%s' for parameter '%s' %s", function->name, slot->text,
                     slot->parameter.name, problem);
        } else {
            cli_fail(CLI_USAGE, &cli_call_command, "%s: parameter '%s' %s", function->name, slot->parameter.name, problem);
        }
        return false;
    }
    return true;
}

static bool nothing_is_left(const call_request *request)
{
    if (request->gpus.used < request->gpus.count) {
        cli_fail(CLI_USAGE, &cli_call_command, "%s: nothing to do with --gpu %s", request->function->name,
                 request->gpus.names[request->gpus.used]);
    } else if (request->units.used < request->units.count) {
        cli_fail(CLI_USAGE, &cli_call_command, "%s: nothing to do with --unit %s", request->function->name,
                 request->units.names[request->units.used]);
    } else {
        return true;
    }
    return false;
}

bool call_arguments_read(call_arguments *arguments, call_request *request)
{
    if (!lay_out(arguments, request->function)) {
        return false;
    }
    bool placed = place_words(arguments, request);
    place_handles(arguments, &request->gpus, call_handle_is_device);
    place_handles(arguments, &request->units, call_handle_is_unit);
    if (placed && read_slots(arguments, request->function) && nothing_is_left(request)) {
        return true;
    }
    call_usage_print(request->function, stderr);
    return false;
}

void call_arguments_free(call_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        free(arguments->slots[i].fields);
    }
    arguments->count = 0;
}
