/*
 * Every function that the masked driver hides (TEST_HIDDEN names them) has a fallback, which answers as the function itself does but
 * for what the fallback says is lost. A hidden function without a check fails.
 */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>

static const struct check *const tables[] = {
    control_checks, identity_checks, mig_checks, name_checks, process_checks, utilization_checks, vgpu_checks,
};

enum { HIDDEN_MAX = 64 };
static char *hidden[HIDDEN_MAX];
static size_t hidden_count;

static const struct check *check_of(const char *function)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        for (const struct check *check = tables[i]; check->function != NULL; check++) {
            if (strcmp(check->function, function) == 0) {
                return check;
            }
        }
    }
    return NULL;
}

static int open_nvml(void **state)
{
    (void)state;
    return nvp_init() == NVP_SUCCESS ? 0 : -1;
}

static void test_hidden_functions__are_missing_and_have_a_fallback(void **state)
{
    (void)state;
    for (size_t i = 0; i < hidden_count; i++) {
        const nvp_function *function = nvp_function_find(hidden[i]);
        assert_non_null(function);
        assert_false(nvp_function_available(function));
        const nvp_fallback *fallback = nvp_function_fallback(function);
        if (fallback == NULL) {
            fail_msg("%s has no fallback", hidden[i]);
        }
        assert_string_equal(fallback->wanted, hidden[i]);
        assert_true(nvp_function_available(nvp_function_find(fallback->served_by)));
        assert_true(fallback->lost[0] != '\0');
    }
}

int main(void)
{
    static struct CMUnitTest tests[HIDDEN_MAX + 1];
    const char *names = getenv("TEST_HIDDEN");
    char *copy = strdup(names != NULL ? names : "");
    for (char *rest = copy, *name; (name = strsep(&rest, " ")) != NULL && hidden_count < HIDDEN_MAX;) {
        const struct check *check = check_of(name);
        if (check == NULL) {
            fprintf(stderr, "no check of %s\n", name);
            return 1;
        }
        tests[hidden_count] = (struct CMUnitTest){ .name = name, .test_func = check->run };
        hidden[hidden_count++] = name;
    }
    tests[hidden_count] = (struct CMUnitTest){ .name = "test_hidden_functions__are_missing_and_have_a_fallback",
                                               .test_func = test_hidden_functions__are_missing_and_have_a_fallback };
    int failed = _cmocka_run_group_tests("served", tests, hidden_count + 1, open_nvml, NULL);
    free(copy);
    return hidden_count > 0 ? failed : 1;
}
