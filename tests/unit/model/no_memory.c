/*
 * Each allocation of writing, reading and collecting made to fail in turn: "out of memory" is the answer, nothing is lost or half made.
 * The linker puts the allocator of this program before the real one.
 */
#include "check.h"
#include "sample_snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/collection.h"

extern void *__real_malloc(size_t size);
extern void *__real_calloc(size_t count, size_t size);
extern void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static long left = -1; /* allocations until one fails; negative: none does */

static bool fails_now(void)
{
    return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails_now() ? NULL : __real_realloc(memory, size);
}

static void test_json__writing_says_that_memory_ran_out(void **state)
{
    (void)state;
    nvp_snapshot *snapshot = sample_snapshot();
    nvp_status status = NVP_ERROR_NO_MEMORY;
    long number = 0;
    for (; status == NVP_ERROR_NO_MEMORY; number++) {
        char *text = NULL;
        size_t length = 0;
        left = number;
        status = nvp_snapshot_to_json(snapshot, &text, &length);
        left = -1;
        assert_true((status == NVP_SUCCESS) == (text != NULL));
        free(text);
    }
    assert_status(status, NVP_SUCCESS);
    assert_true(number > 1);
    nvp_snapshot_free(snapshot);
}

static void test_json__reading_says_that_memory_ran_out(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    nvp_snapshot *snapshot = sample_snapshot(), *back = NULL;
    assert_status(nvp_snapshot_to_json(snapshot, &text, &length), NVP_SUCCESS);
    nvp_status status = NVP_ERROR_NO_MEMORY;
    long number = 0;
    for (; status == NVP_ERROR_NO_MEMORY; number++) {
        left = number;
        status = nvp_snapshot_from_json(text, length, &back, NULL, 0);
        left = -1;
        assert_true((status == NVP_SUCCESS) == (back != NULL));
    }
    assert_status(status, NVP_SUCCESS);
    assert_true(number > 3);
    assert_same_snapshot(snapshot, back);
    nvp_snapshot_free(back);
    nvp_snapshot_free(snapshot);
    free(text);
}

/* A device for which there is no memory is left out of one sample, not for good. */
static void test_collection__goes_on_after_memory_ran_out(void **state)
{
    (void)state;
    nvp_snapshot *snapshot = sample_snapshot();
    for (long number = 0; number < 10; number++) {
        left = number;
        nvp_collection *span = nvp__collection_new("train", 0);
        if (span != NULL) {
            nvp__collection_add(span, NVP_SUCCESS, snapshot, getpid());
            nvp_collection *copy = nvp__collection_copy(span, 1);
            left = -1;
            assert_true(copy == NULL || nvp_collection_device_count(copy) == nvp_collection_device_count(span));
            nvp_collection_free(copy);
            nvp__collection_add(span, NVP_SUCCESS, snapshot, getpid());
            assert_int_equal(nvp_collection_device_count(span), nvp_snapshot_device_count(snapshot));
        }
        left = -1;
        nvp_collection_free(span);
    }
    nvp_snapshot_free(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__writing_says_that_memory_ran_out),
        cmocka_unit_test(test_json__reading_says_that_memory_ran_out),
        cmocka_unit_test(test_collection__goes_on_after_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
