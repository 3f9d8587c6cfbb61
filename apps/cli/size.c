/*
 * Reads amounts without the locale: the point is a point everywhere, and what strtod() takes beside plain numbers (hexadecimal, infinity)
 * is refused.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "size.h"

/* Beyond this a double no longer holds every whole number; no GPU comes near. */
#define LARGEST_NUMBER 9007199254740992.0
/* A smaller number of bytes without a unit is none of bytes: somebody thought of GiB or of MiB. */
#define LEAST_BARE_BYTES 1048576u
#define LONGEST_MS (366ull * 24 * 60 * 60 * 1000)

/** What follows a number, and what it stands for. */
struct unit {
    const char *name;
    double factor;
};

static const struct unit byte_units[] = {
    { "", 1 },
    { "B", 1 },
    { "K", 1024.0 },
    { "KiB", 1024.0 },
    { "KB", 1e3 },
    { "M", 1048576.0 },
    { "MiB", 1048576.0 },
    { "MB", 1e6 },
    { "G", 1073741824.0 },
    { "GiB", 1073741824.0 },
    { "GB", 1e9 },
    { "T", 1099511627776.0 },
    { "TiB", 1099511627776.0 },
    { "TB", 1e12 },
    { NULL, 0 },
};

static const struct unit time_units[] = {
    { "", 1e3 }, { "ms", 1 }, { "s", 1e3 }, { "m", 60e3 }, { "h", 3600e3 }, { NULL, 0 },
};

static const struct unit percent_units[] = { { "%", 1 }, { NULL, 0 } };
static const struct unit bare_percent_units[] = { { "", 1 }, { "%", 1 }, { NULL, 0 } };

/* Reads digits with a point among them; where they end, or NULL when there are none. */
static const char *parse_decimal(const char *text, double *number)
{
    double value = 0, place = 1;
    bool point = false, digits = false;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        digits = true;
        value = point ? value : value * 10;
        place = point ? place / 10 : place;
        value += (*text - '0') * place;
    }
    *number = value;
    return digits ? text : NULL;
}

/* Reads a number and its unit, which a space may stand before. */
static bool parse_amount(const char *text, const struct unit *units, double largest, double *amount)
{
    double number;
    const char *rest = parse_decimal(text, &number);
    if (rest == NULL) {
        return false;
    }
    rest += *rest == ' ';
    for (const struct unit *unit = units; unit->name != NULL; unit++) {
        if (strcasecmp(rest, unit->name) == 0) {
            *amount = number * unit->factor;
            return *amount <= largest;
        }
    }
    return false;
}

bool cli_parse_bytes(const char *text, uint64_t *bytes)
{
    double amount;
    if (!parse_amount(text, byte_units, LARGEST_NUMBER, &amount)) {
        return false;
    }
    *bytes = (uint64_t)(amount + 0.5);
    return true;
}

bool cli_parse_percent(const char *text, bool bare, double largest, double *percent)
{
    return parse_amount(text, bare ? bare_percent_units : percent_units, largest, percent);
}

bool cli_parse_milliseconds(const char *text, uint64_t *milliseconds)
{
    double amount;
    if (!parse_amount(text, time_units, (double)LONGEST_MS, &amount)) {
        return false;
    }
    *milliseconds = (uint64_t)(amount + 0.5);
    return true;
}

bool cli_options_bytes(const cli_options *options, const char *name, uint64_t *bytes)
{
    if (!cli_parse_bytes(options->argument, bytes)) {
        cli_misuse(options->command, "--%s: '%s' is not a size such as 512MiB or 8GiB", name, options->argument);
        return false;
    }
    size_t length = strlen(options->argument);
    if (*bytes > 0 && *bytes < LEAST_BARE_BYTES && isdigit((unsigned char)options->argument[length - 1])) {
        cli_misuse(options->command, "--%s: '%s' would be so many bytes; write a unit, as in %sGiB", name, options->argument,
                   options->argument);
        return false;
    }
    return true;
}

bool cli_options_percent(const cli_options *options, const char *name, double largest, double *percent)
{
    if (!cli_parse_percent(options->argument, true, largest, percent)) {
        cli_misuse(options->command, "--%s: '%s' is not a percentage from 0 to %.0f", name, options->argument, largest);
        return false;
    }
    return true;
}

bool cli_options_milliseconds(const cli_options *options, const char *name, uint64_t *milliseconds)
{
    if (!cli_parse_milliseconds(options->argument, milliseconds) || *milliseconds == 0) {
        cli_misuse(options->command, "--%s: '%s' is not a time such as 5 (seconds), 500ms or 1m", name, options->argument);
        return false;
    }
    return true;
}
