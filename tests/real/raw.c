/*
 * What a real libnvidia-ml.so.1 answers by itself on a machine without a driver, called through nvp_symbol(): the measured facts that
 * nvpulse builds on. May not run where a driver is loaded, as the calls are raw; run.py sees to that.
 */
#include "../process/cases.h"

#include <string.h>
#include <sys/mman.h>

typedef void any_fn(void);
typedef nvmlReturn_t words_fn(void *, void *, void *, void *, void *, void *);
typedef const char *text_fn(nvmlReturn_t);

static any_fn *function_of(const char *name)
{
    void *symbol = nvp_symbol(name);
    any_fn *function;
    CHECK(symbol != NULL);
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

/*
 * What the library itself answers to a call that is all zeroes, before it is initialised. abi/driver-behaviour.md: UNINITIALIZED, as
 * the check comes before that of the arguments; success of a shutdown; and of the NVML version, where the NULL is looked at.
 * NVML's parameters are pointers and integers, so zeroes are passed alike whatever their types are.
 */
static nvmlReturn_t call_with_zeroes(const char *name)
{
    return ((words_fn *)function_of(name))(NULL, NULL, NULL, NULL, NULL, NULL);
}

static bool is_expected(const char *name, nvmlReturn_t answer)
{
    if (strncmp(name, "nvmlInit", strlen("nvmlInit")) == 0) {
        return answer == NVML_ERROR_DRIVER_NOT_LOADED;
    }
    if (strcmp(name, "nvmlShutdown") == 0) {
        return answer == NVML_SUCCESS;
    }
    if (strcmp(name, "nvmlSystemGetNVMLVersion") == 0 && answer == NVML_ERROR_INVALID_ARGUMENT) {
        return true;
    }
    return answer == NVML_ERROR_UNINITIALIZED;
}

/* In a child: calls functions from `*next` on, which always is the one that is being called. Ends with 1 for a strange answer. */
static void call_the_rest(volatile size_t *next)
{
    int strange = 0;
    for (; *next < nvp_function_count(); ++*next) {
        const nvp_function *function = nvp_function_at(*next);
        if (nvp_function_available(function) && strcmp(function->name, "nvmlErrorString") != 0) {
            nvmlReturn_t answer = call_with_zeroes(function->name);
            if (!is_expected(function->name, answer)) {
                fprintf(stderr, "%s: raw answer %s\n", function->name, nvp_status_name((nvp_status)answer));
                strange++;
            }
        }
    }
    _exit(strange > 0);
}

static void raw_calls_answer_uninitialised(void)
{
    CHECK_STATUS(nvp_init(), NVML_ERROR_DRIVER_NOT_LOADED);
    volatile size_t *next = mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(next != MAP_FAILED);
    int failures = 0;
    for (*next = 0; *next < nvp_function_count(); ++*next) {
        pid_t child = fork();
        if (child == 0) {
            call_the_rest(next);
        }
        int code = await_child(child);
        failures += code != 0;
        if (*next < nvp_function_count()) { /* the child did not come to its end */
            fprintf(stderr, "%s: a raw call with zeroes ends the process: %d\n", nvp_function_at(*next)->name, code);
        }
    }
    CHECK(failures == 0);
}

/* True when `code` is among the numbers of TEST_CODES: those that a library of this version has a text for. */
static bool is_known_code(int code)
{
    const char *at = getenv("TEST_CODES");
    CHECK(at != NULL);
    for (char *end = NULL; *at != '\0'; at = end) {
        if (strtol(at, &end, 10) == code && end != at) {
            return true;
        }
        CHECK(end != at);
    }
    return false;
}

static void error_texts_agree(void)
{
    text_fn *text_of = (text_fn *)function_of("nvmlErrorString");
    unsigned int known = 0;
    for (int code = 0; code <= NVML_ERROR_UNKNOWN + 1; code++) {
        const char *theirs = text_of((nvmlReturn_t)code);
        const char *ours = is_known_code(code) ? nvp_status_text(code) : "Unknown Error";
        known += is_known_code(code);
        if (strcmp(theirs, ours) != 0) {
            fprintf(stderr, "%d: the library says '%s', not '%s'\n", code, theirs, ours);
            _exit(1);
        }
    }
    printf("texts %u\n", known);
}

const struct test_case test_cases[] = {
    { "raw_calls_answer_uninitialised", raw_calls_answer_uninitialised },
    { "error_texts_agree", error_texts_agree },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
