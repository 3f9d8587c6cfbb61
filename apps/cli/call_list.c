/*
 * `nvpulse call --list`: the functions that nvpulse knows, and which of them the driver here has. Makes no driver call.
 */
#include <fnmatch.h>
#include <string.h>

#include <nvpulse/driver.h>

#include "call.h"
#include "table.h"

static bool matches(const char *pattern, const char *name)
{
    if (pattern == NULL) {
        return true;
    }
    if (strpbrk(pattern, "*?[") != NULL) {
        return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
    }
    return strcasestr(name, pattern) != NULL;
}

static const char *availability(const nvp_function *function, bool library_known, const char *const words[3])
{
    return !library_known ? words[2] : nvp_function_available(function) ? words[0] : words[1];
}

static const char *boolean(bool value)
{
    return value ? "true" : "false";
}

static size_t print_json(const char *pattern, bool library_known, FILE *out)
{
    static const char *const words[] = { "true", "false", "null" };
    size_t count = 0;
    fputc('[', out);
    for (size_t i = 0; i < nvp_function_count(); i++) {
        const nvp_function *function = nvp_function_at(i);
        if (!matches(pattern, function->name)) {
            continue;
        }
        fprintf(out,
                "%s\n{\"name\":\"%s\",\"group\":\"%s\",\"first_driver\":\"%s\",\"first_release\":\"%s\","
                "\"available\":%s,\"writes\":%s,\"deprecated\":%s,\"by_name\":%s}",
                count > 0 ? "," : "", function->name, function->group, function->first_driver, function->first_release,
                availability(function, library_known, words), boolean(function->writes), boolean(function->deprecated),
                boolean(function->by_name));
        count++;
    }
    fputs("\n]\n", out);
    return count;
}

static bool print_table(const char *pattern, bool library_known, FILE *out, size_t *count)
{
    static const cli_column columns[] = {
        { "Function", CLI_LEFT, 0, 12, false },
        { "First driver", CLI_LEFT, 1, 0, false },
        { "Here", CLI_LEFT, 0, 0, false },
        { "Writes", CLI_LEFT, 0, 0, false },
    };
    static const char *const words[] = { "yes", "no", "unknown" };
    cli_terminal terminal = cli_terminal_look(CLI_AUTO);
    cli_table table = CLI_TABLE_INIT(columns, &terminal);
    for (size_t i = 0; i < nvp_function_count(); i++) {
        const nvp_function *function = nvp_function_at(i);
        if (!matches(pattern, function->name)) {
            continue;
        }
        const char *here = availability(function, library_known, words);
        cli_table_add(&table, CLI_PLAIN, function->name);
        cli_table_add(&table, CLI_PLAIN, function->first_release);
        cli_table_add(&table, strcmp(here, "no") == 0 ? CLI_DIM : CLI_PLAIN, here);
        cli_table_add(&table, CLI_PLAIN, function->writes ? "yes" : "");
        ++*count;
    }
    bool done = *count == 0 || cli_table_print(&table, &terminal, out);
    cli_table_free(&table);
    return done;
}

int call_list_print(const char *pattern, bool json, FILE *out)
{
    bool library_known = nvp_driver_find() == NVP_SUCCESS;
    size_t count = 0;
    if (json) {
        count = print_json(pattern, library_known, out);
    } else if (!print_table(pattern, library_known, out, &count)) {
        return cli_no_memory(&cli_call_command);
    }
    if (count == 0) {
        return cli_fail(CLI_FAILED, &cli_call_command, "no function matches '%s'", pattern != NULL ? pattern : "");
    }
    return CLI_OK;
}
