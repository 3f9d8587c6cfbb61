/*
 * `nvpulse call`: any NVML function by name. Everything that can be refused is refused before NVML is opened.
 */
#include <string.h>

#include "call.h"
#include "driver.h"
#include "options.h"
#include "size.h"
#include "within.h"

enum { KEY_ALLOW_WRITE = 256 };

/** Longer than any call that comes back; as in the help. */
#define LIMIT_MS 30000

static const cli_option options_table[] = {
    { 'g', "gpu", "GPU", "the device to ask: its index, UUID or PCI bus id; repeat it for a second one" },
    { 'u', "unit", "N", "the S-class unit to ask, by its index" },
    { 'j', "json", NULL, "print one JSON object" },
    { 'l', "list", NULL, "list the functions that match PATTERN, or all, and whether this driver has them" },
    { 't', "timeout", "SECONDS", "wait so long for the driver's answer (30); 0: for ever" },
    { KEY_ALLOW_WRITE, "allow-write", NULL, "allow functions that change a GPU, the driver or another client" },
    { 'v', "verbose", NULL, "when NVML cannot be used, list the places that were tried" },
    { 'h', "help", NULL, "print this help, or with FUNCTION how to call it" },
    CLI_OPTIONS_END,
};

static int run_call(int argc, char **argv, FILE *out);

const cli_command cli_call_command = {
    .name = "call",
    .operands = "FUNCTION [ARGUMENT...] | --list [PATTERN]",
    .summary = "Call any NVML function by name",
    .details = "\n"
               "ARGUMENTs stand in the order of the function's parameters or are given as NAME=VALUE.\n"
               "Outputs, buffers and their sizes are supplied. A number may be decimal, hexadecimal or\n"
               "the name of a constant; names joined by '|' make a mask. When the driver does not answer in\n"
               "time the exit status is 6.\n"
               "\n"
               "Examples:\n"
               "  nvpulse call nvmlDeviceGetMemoryInfo --gpu 0\n"
               "  nvpulse call nvmlDeviceGetTemperature --gpu 0 NVML_TEMPERATURE_GPU --json\n"
               "  nvpulse call nvmlDeviceGetFieldValues --gpu 0 NVML_FI_DEV_POWER_INSTANT:0\n"
               "  nvpulse call --list '*Clock*'\n"
               "  nvpulse call --help nvmlDeviceGetP2PStatus\n",
    .options = options_table,
    .run = run_call,
};

static bool take_name(call_names *names, const cli_options *options)
{
    if (names->count == CALL_PARAMETERS_MAX) {
        cli_misuse(&cli_call_command, "more than %d handles", CALL_PARAMETERS_MAX);
        return false;
    }
    names->names[names->count++] = options->argument;
    return true;
}

static bool take_limit(call_request *request, const cli_options *options)
{
    if (strcmp(options->argument, "0") == 0) {
        request->limit_ms = CLI_NO_LIMIT;
        return true;
    }
    return cli_options_milliseconds(options, "timeout", &request->limit_ms);
}

/* Takes one option; false after a message. */
static bool take_option(void *context, const cli_options *options, int key)
{
    call_request *request = context;
    switch (key) {
    case 'g':
        return take_name(&request->gpus, options);
    case 'u':
        return take_name(&request->units, options);
    case 'j':
        return request->json = true;
    case 'l':
        return request->list = true;
    case 't':
        return take_limit(request, options);
    case KEY_ALLOW_WRITE:
        return request->allow_write = true;
    case 'v':
        return request->verbose = true;
    case 'h':
        return request->help = true;
    default:
        return false;
    }
}

static bool parse(call_request *request, int argc, char **argv)
{
    cli_options options;
    if (!cli_options_read(&options, &cli_call_command, argc, argv, take_option, request)) {
        return false;
    }
    request->operands = cli_options_operands(&options, &request->operand_count);
    return true;
}

/* The function that is named first; NULL after a message. */
static const nvp_function *find_function(const char *name)
{
    const nvp_function *function = nvp_function_find(name);
    if (function != NULL) {
        return function;
    }
    const nvp_function *nearest[3];
    size_t count = nvp_function_suggest(name, nearest, 3);
    char names[256] = "";
    for (size_t i = 0, used = 0; i < count && used < sizeof names; i++) {
        int length = snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", nearest[i]->name);
        used += length > 0 ? (size_t)length : 0;
    }
    if (count > 0) {
        cli_misuse(&cli_call_command, "no NVML function '%s' is known; did you mean %s?", name, names);
    } else {
        cli_misuse(&cli_call_command, "no NVML function '%s' is known; '" CLI_NAME " call --list' lists those that are", name);
    }
    return NULL;
}

/* Refuses what cannot or must not be called; true when it may be. */
static bool may_call(const call_request *request)
{
    const nvp_function *function = request->function;
    if (!function->by_name) {
        cli_fail(CLI_USAGE, &cli_call_command, "%s cannot be called from the command line: %s", function->name,
                 nvp_status_text(NVP_ERROR_NOT_BY_NAME));
        return false;
    }
    if (function->writes && !request->allow_write) {
        cli_fail(CLI_USAGE, &cli_call_command,
                 "%s changes the state of a GPU, of the driver or of another client; give --allow-write to call it all the same",
                 function->name);
        return false;
    }
    return true;
}

/* Says on stderr why there is no value; the exit code. */
static int explain(const call_request *request, nvp_status status, const nvp_value *result)
{
    if (status == NVP_ERROR_NO_MEMORY) {
        return cli_no_memory(&cli_call_command);
    }
    nvp_status why = result->status != NVP_SUCCESS ? result->status : status;
    const char *advice = nvp_status_advice(why);
    cli_fail(CLI_FAILED, &cli_call_command, "%s: %s (%s)%s%s", request->function->name, nvp_status_text(why),
             nvp_status_name(why), advice[0] != '\0' ? ". " : "", advice);
    return status == NVP_ERROR_BAD_ARGUMENT ? CLI_USAGE : CLI_FAILED;
}

/** A call that is under way. */
struct pending {
    call_arguments arguments;
    const nvp_function *function;
    bool is_made; /**< its handles were found */
    nvp_value result;
};

/* Finds the handles and makes the call: what may never come back. */
static nvp_status ask(void *context)
{
    const nvp_query_options options = { sizeof options, NVP_QUERY_KEEP_ERRORS | NVP_QUERY_SILENT, NULL };
    struct pending *pending = context;
    nvp_arg args[CALL_PARAMETERS_MAX];
    nvp_status status = call_arguments_resolve(&pending->arguments);
    if (status != NVP_SUCCESS) {
        return status;
    }
    for (size_t i = 0; i < pending->arguments.count; i++) {
        args[i] = pending->arguments.slots[i].arg;
    }
    pending->is_made = true;
    return nvp_query(pending->function->name, args, pending->arguments.count, &options, &pending->result);
}

static int print(const call_request *request, nvp_status status, const nvp_value *result, FILE *out)
{
    bool failed = status != NVP_SUCCESS || !nvp_check(result, NVP_KIND_ANY);
    int code = failed ? explain(request, status, result) : CLI_OK;
    if ((!failed || request->json) && !call_result_print(request, result, out)) {
        code = cli_no_memory(&cli_call_command);
    }
    return code;
}

/* Answers a failure before the call itself as the call would have been. */
static int answer_failure(const call_request *request, nvp_status status, int code, FILE *out)
{
    if (!request->json) {
        return code;
    }
    nvp_value result = NVP_VALUE_INIT;
    nvp_value_set_na(&result, status);
    bool printed = call_result_print(request, &result, out);
    nvp_value_clear(&result);
    return printed ? code : cli_no_memory(&cli_call_command);
}

static int explain_silence(const call_request *request)
{
    return cli_fail(CLI_NO_ANSWER, &cli_call_command, "%s: no answer from the driver within %g s%s; --timeout sets the limit",
                    request->function->name, (double)request->limit_ms / 1000,
                    request->function->writes ? ", what it was to change may still change" : "");
}

/* Asks the driver, which is open, and prints what came back. */
static int call(const call_request *request, struct pending *pending, FILE *out)
{
    nvp_status status = cli_within(request->limit_ms, ask, pending);
    if (status == NVP_ERROR_TIMED_OUT) {
        return answer_failure(request, status, explain_silence(request), out);
    }
    int code =
        pending->is_made ? print(request, status, &pending->result, out) : answer_failure(request, status, CLI_FAILED, out);
    nvp_value_clear(&pending->result);
    call_arguments_free(&pending->arguments);
    return code;
}

static int run_function(call_request *request, FILE *out)
{
    static struct pending pending = { .result = NVP_VALUE_INIT }; /* a call that does not return still uses it */
    pending.function = request->function;
    if (!call_arguments_read(&pending.arguments, request)) {
        call_arguments_free(&pending.arguments);
        return CLI_USAGE;
    }
    nvp_status status = cli_driver_open_within(request->limit_ms);
    if (status == NVP_SUCCESS) {
        return call(request, &pending, out);
    }
    int code = cli_driver_explain(&cli_call_command, status, request->verbose);
    call_arguments_free(&pending.arguments);
    return answer_failure(request, status, code, out);
}

static int run_list(const call_request *request, FILE *out)
{
    if (request->operand_count > 1) {
        return cli_misuse(&cli_call_command, "--list takes one pattern; quote it to keep it from the shell");
    }
    return call_list_print(request->operand_count > 0 ? request->operands[0] : NULL, request->json, out);
}

static int run_call(int argc, char **argv, FILE *out)
{
    static call_request request = { .limit_ms = LIMIT_MS }; /* a call that does not return still uses it */
    if (!parse(&request, argc, argv)) {
        return CLI_USAGE;
    }
    if (request.help && request.operand_count == 0) {
        return cli_options_help(&cli_call_command, out);
    }
    if (request.list) {
        return run_list(&request, out);
    }
    if (request.operand_count == 0) {
        return cli_misuse(&cli_call_command, "a function is missing");
    }
    request.function = find_function(request.operands[0]);
    if (request.function == NULL) {
        return CLI_USAGE;
    }
    request.operands++;
    request.operand_count--;
    if (request.help) {
        call_usage_print(request.function, out);
        return CLI_OK;
    }
    return may_call(&request) ? run_function(&request, out) : CLI_USAGE;
}
