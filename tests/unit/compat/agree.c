/*
 * The agreement of every fallback that is in force on the driver in use; one that no table speaks of is a failure.
 */
#include "agree.h"

#include <stdio.h>
#include <stdlib.h>

static const struct agreement *const tables[] = { struct_agreements, list_agreements, other_agreements };

/* The session is opened by what serves it: tests/process has these. */
static const char *const of_the_session[] = { "nvmlInit", "nvmlInit_v2", "nvmlInitWithFlags" };

static unsigned int answers;

void count_answer(void)
{
    answers++;
}

any_fn *own_function(const char *name)
{
    void *symbol = nvp_symbol(name);
    any_fn *function;
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

nvmlGpuInstance_t instance_on(nvmlDevice_t device)
{
    nvmlGpuInstance_t instances[16] = { NULL };
    for (unsigned int profile = 0; profile < 32; profile++) {
        unsigned int count = 0;
        if (nvp_nvmlDeviceGetGpuInstances(device, profile, instances, &count) == NVML_SUCCESS && count > 0) {
            return instances[0];
        }
    }
    return NULL;
}

unsigned int device_total(void)
{
    unsigned int count;
    assert_int_equal(nvp_nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
    return count;
}

nvmlReturn_t call_plain(any_fn *function, const struct subject *subject, void *object)
{
    return ((nvmlReturn_t(*)(nvmlDevice_t, void *))function)(subject->device, object);
}

nvmlReturn_t call_system(any_fn *function, const struct subject *subject, void *object)
{
    (void)subject;
    return ((nvmlReturn_t(*)(void *))function)(object);
}

nvmlReturn_t call_numbered(any_fn *function, const struct subject *subject, void *object)
{
    return ((nvmlReturn_t(*)(nvmlDevice_t, unsigned int, void *))function)(subject->device, subject->number, object);
}

nvmlReturn_t call_instance(any_fn *function, const struct subject *subject, void *object)
{
    return ((nvmlReturn_t(*)(unsigned int, void *))function)(subject->number, object);
}

size_t arguments_numbered(const struct subject *subject, nvp_arg *arguments)
{
    arguments[0] = nvp_arg_handle(subject->device);
    arguments[1] = nvp_arg_uint(subject->number);
    return 2;
}

size_t arguments_none(const struct subject *subject, nvp_arg *arguments)
{
    (void)subject;
    (void)arguments;
    return 0;
}

nvmlReturn_t by_name(const struct agreement *agreement, const struct subject *subject, nvp_value *value)
{
    nvp_query_options options = { sizeof(options), NVP_QUERY_KEEP_ERRORS, NULL };
    nvp_arg arguments[8] = { nvp_arg_handle(subject->device) };
    size_t count = agreement->arguments != NULL ? agreement->arguments(subject, arguments) : 1;
    return (nvmlReturn_t)nvp_query(agreement->wanted, arguments, count, &options, value);
}

/* One number, or a struct of numbers, or a list of them, which may end before those that are 0. */
static void assert_same_numbers(const struct agreement *agreement, const nvp_value *value, const unsigned char *expected)
{
    nvp_value item = NVP_VALUE_INIT;
    bool alone = nvp_check(value, NVP_KIND_NUMBER);
    assert_true(alone ? agreement->numbers == 1 : value->count > 0);
    for (size_t i = 0; i < agreement->numbers; i++) {
        uint64_t number = 0;
        memcpy(&number, expected + i * agreement->width, agreement->width);
        if (!alone && i >= value->count) {
            assert_true(number == 0);
            continue;
        }
        if (!alone) {
            assert_status(nvp_value_at(value, i, &item), NVP_SUCCESS);
        }
        assert_true(nvp_value_uint(alone ? value : &item, ~number) == number);
    }
    nvp_value_clear(&item);
}

static void compare_by_name(const struct agreement *agreement, const struct subject *subject, nvmlReturn_t status,
                            const void *expected)
{
    nvp_value value = NVP_VALUE_INIT;
    size_t size;
    assert_int_equal(by_name(agreement, subject, &value), status);
    if (status == NVML_SUCCESS && agreement->type != NULL) {
        const void *data = nvp_value_data(&value, &size);
        assert_non_null(data);
        assert_same_fields(agreement->type, data, expected);
    } else if (status == NVML_SUCCESS) {
        assert_same_numbers(agreement, &value, expected);
    }
    nvp_value_clear(&value);
}

static void compare_subject(const struct agreement *agreement, const struct source *source, const struct subject *subject)
{
    static _Alignas(16) unsigned char answer[OBJECT_SIZE];
    static _Alignas(16) unsigned char own[OBJECT_SIZE];
    memset(answer, 0, sizeof(answer));
    memset(own, 0, sizeof(own));
    memcpy(answer, &agreement->word, sizeof(agreement->word));
    memcpy(own, &source->word, sizeof(source->word));
    nvmlReturn_t status = agreement->call(agreement->ours, subject, answer);
    assert_int_equal(status, source->call(own_function(source->name), subject, own));
    if (status == NVML_SUCCESS && agreement->type != NULL) {
        assert_agreeing_fields(agreement->type, answer, source->type != NULL ? source->type : agreement->type, own,
                               agreement->made);
    } else if (status == NVML_SUCCESS) {
        assert_memory_equal(answer, own, agreement->numbers * agreement->width);
    }
    answers += status == NVML_SUCCESS;
    compare_by_name(agreement, subject, status, answer);
}

static const struct source *source_of(const struct agreement *agreement)
{
    for (const struct source *source = agreement->sources; source->name != NULL; source++) {
        if (is_served_by(agreement->wanted, source->name)) {
            return source;
        }
    }
    fail_msg("%s is served by another function than the table says", agreement->wanted);
    return NULL;
}

static void check_agreement(void **state)
{
    const struct agreement *agreement = *state;
    const struct source *source = source_of(agreement);
    const char *profile = getenv("NVPULSE_SIM_PROFILE");
    answers = 0;
    if (agreement->run != NULL) {
        agreement->run(agreement, source);
    }
    for (unsigned int i = 0; agreement->run == NULL && i < device_total() * (agreement->last + 1); i++) {
        struct subject subject = { device_at(i / (agreement->last + 1)), i % (agreement->last + 1) };
        compare_subject(agreement, source, &subject);
    }
    if (agreement->answered_on != NULL && profile != NULL && strcmp(agreement->answered_on, profile) == 0) {
        assert_true(answers > 0);
    }
}

static const struct agreement *agreement_of(const char *function)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        for (const struct agreement *row = tables[i]; row->wanted != NULL; row++) {
            if (strcmp(row->wanted, function) == 0) {
                return row;
            }
        }
    }
    for (size_t i = 0; i < sizeof(of_the_session) / sizeof(of_the_session[0]); i++) {
        if (strcmp(of_the_session[i], function) == 0) {
            return NULL;
        }
    }
    fprintf(stderr, "no agreement of %s\n", function);
    exit(1);
}

/* What a function writes may be what tells that it differs: lists of processes have to have been read. Accounting is switched on. */
static void prepare(void)
{
    nvp_value value = NVP_VALUE_INIT;
    for (unsigned int i = 0; i < device_total(); i++) {
        nvp_nvmlDeviceSetAccountingMode(device_at(i), NVML_FEATURE_ENABLED);
        nvp_query("nvmlDeviceGetComputeRunningProcesses_v3", NVP_ARGS(nvp_arg_handle(device_at(i))), NULL, &value);
        nvp_query("nvmlDeviceGetGraphicsRunningProcesses_v3", NVP_ARGS(nvp_arg_handle(device_at(i))), NULL, &value);
    }
    nvp_value_clear(&value);
}

int main(void)
{
    enum { MOST = 128 };
    static struct CMUnitTest tests[MOST];
    size_t count = 0;
    if (nvp_init() != NVP_SUCCESS) {
        return 1;
    }
    prepare();
    for (size_t i = 0; i < nvp_function_count() && count < MOST; i++) {
        const nvp_function *function = nvp_function_at(i);
        const struct agreement *row = nvp_function_fallback(function) != NULL ? agreement_of(function->name) : NULL;
        if (row != NULL) {
            void *state;
            memcpy(&state, &(const void *){ row }, sizeof(state));
            tests[count++] = (struct CMUnitTest){ .name = row->wanted, .test_func = check_agreement, .initial_state = state };
        }
    }
    return count < MOST ? _cmocka_run_group_tests("agree", tests, count, NULL, NULL) : 1;
}
