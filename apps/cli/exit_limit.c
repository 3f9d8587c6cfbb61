/*
 * The library reads the variable once, at its first use; from then on it is only a nuisance to programs that are started.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "exit_limit.h"

#define VARIABLE "NVPULSE_EXIT_TIMEOUT_MS"
#define LONGEST_MS 86400000u

static bool is_ours;

void cli_exit_limit_set(void)
{
    is_ours = getenv(VARIABLE) == NULL && setenv(VARIABLE, "250", 0) == 0;
}

void cli_exit_limit_forget(void)
{
    if (is_ours) {
        unsetenv(VARIABLE);
    }
}

unsigned int cli_exit_limit_chosen(unsigned int otherwise_ms)
{
    const char *text = is_ours ? NULL : getenv(VARIABLE);
    unsigned long limit_ms = text == NULL ? otherwise_ms : strtoul(text, NULL, 10);
    return limit_ms > LONGEST_MS ? LONGEST_MS : (unsigned int)limit_ms;
}
