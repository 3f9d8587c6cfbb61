/*
 * nvml.h against the facts: every size, alignment, offset, value and type, every prototype, and which
 * entry point each name stands for. The table is made from abi/ by make_asserts.py, not by the generator.
 * Built a second time with NVML_NO_UNVERSIONED_FUNC_DEFS. Calls nothing.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <nvpulse/nvml.h>

#define TEXT_OF_EXPANDED(...) #__VA_ARGS__
#define TEXT_OF(...) TEXT_OF_EXPANDED(__VA_ARGS__)

struct number_check {
    const char *what;
    long long found;
    long long expected;
};

struct text_check {
    const char *what;
    const char *found;
    const char *expected;
};

#include "layout_checks.inc"

int main(void)
{
    const size_t numbers = sizeof number_checks / sizeof number_checks[0];
    const size_t texts = sizeof text_checks / sizeof text_checks[0];
    unsigned int failed = 0;

    for (size_t i = 0; i < numbers; i++) {
        const struct number_check *check = &number_checks[i];
        if (check->found != check->expected) {
            printf("%s: %lld, the facts say %lld\n", check->what, check->found, check->expected);
            failed++;
        }
    }
    for (size_t i = 0; i < texts; i++) {
        const struct text_check *check = &text_checks[i];
        if (strcmp(check->found, check->expected) != 0) {
            printf("%s: %s, the facts say %s\n", check->what, check->found, check->expected);
            failed++;
        }
    }
    printf("%zu passed, %u failed\n", numbers + texts - failed, failed);
    return failed ? 1 : 0;
}
