/*
 * How far apart records are, told by the bytes: every size, every count, every room, and every manner of writing.
 */
#include "check.h"

#include "compat/records.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 12, SIZE = MOST * NVP__RECORD_ROOM };

static unsigned char memory[SIZE];
static bool proved;

static void write_record(size_t distance, unsigned int index, size_t length)
{
    nvmlProcessDetail_v1_t process = { .pid = 1000 + index,
                                       .usedGpuMemory = (index + 1) * (5ull << 30),
                                       .gpuInstanceId = 0xffffffffu,
                                       .computeInstanceId = 0xffffffffu,
                                       .usedGpuCcProtectedMemory = 5ull << 33 };
    memcpy(memory + index * distance, &process, length);
}

static size_t distance_of(unsigned int count, unsigned int room, size_t expected)
{
    return nvp__records_distance(memory, room * NVP__RECORD_ROOM, count, room, expected, &proved);
}

static const size_t sizes[] = { 16, 24, 32 };
#define FOR_EACH_SIZE(size)                                                                                                      \
    for (size_t i_ = 0; i_ < 3; i_++)                                                                                            \
        for (size_t size = sizes[i_], once_ = 1; once_; once_ = 0)

static void test_records__distance_of_every_size(void **state)
{
    (void)state;
    FOR_EACH_SIZE(distance)
    {
        for (unsigned int count = 1; count <= MOST; count++) {
            for (unsigned int room = count; room <= MOST; room++) {
                nvp__records_fill(memory, sizeof(memory));
                for (unsigned int i = 0; i < count; i++) {
                    write_record(distance, i, distance);
                }
                assert_int_equal(distance_of(count, room, 24), distance);
                assert_true(proved == (distance == 24 || count > 1));
                assert_int_equal(distance_of(count, room, 32), distance);
                assert_true(proved == (distance == 32 || count > 1));
            }
        }
    }
}

static void test_records__idle_device_proves_nothing(void **state)
{
    (void)state;
    nvp__records_fill(memory, sizeof(memory));
    assert_int_equal(distance_of(0, 4, 24), 24);
    assert_false(proved);
    memset(memory, 0, 4 * 24);
    assert_int_equal(distance_of(0, 4, 32), 32);
    assert_false(proved);
}

static void test_records__buffer_that_was_cleared_first(void **state)
{
    (void)state;
    FOR_EACH_SIZE(distance)
    {
        for (unsigned int room = 3; room <= MOST; room++) {
            nvp__records_fill(memory, sizeof(memory));
            memset(memory, 0, room * distance);
            write_record(distance, 0, distance);
            write_record(distance, 1, distance);
            assert_int_equal(distance_of(2, room, 24), distance);
        }
        assert_true(proved);
    }
}

static void test_records__tail_that_is_left_out_proves_nothing(void **state)
{
    (void)state;
    for (unsigned int count = 2; count <= MOST; count++) {
        nvp__records_fill(memory, sizeof(memory));
        for (unsigned int i = 0; i < count; i++) {
            write_record(32, i, 24);
        }
        assert_int_equal(distance_of(count, MOST, 32), 32);
        assert_false(proved);
    }
}

/* One record of 24 bytes, or the beginning of one of 32: the header decides, and nothing is remembered. */
static void test_records__one_record_is_no_proof_against_the_header(void **state)
{
    (void)state;
    nvp__records_fill(memory, sizeof(memory));
    write_record(32, 0, 24);
    assert_int_equal(distance_of(1, 4, 32), 24);
    assert_false(proved);
}

static void test_records__nothing_written_or_nonsense_is_what_the_header_says(void **state)
{
    (void)state;
    nvp__records_fill(memory, sizeof(memory));
    FOR_EACH_SIZE(expected)
    {
        assert_int_equal(distance_of(3, MOST, expected), expected);
        assert_false(proved);
    }
    memset(memory, 0, 17);
    assert_int_equal(distance_of(2, MOST, 24), 24);
    assert_false(proved);
    memset(memory, 0xff, sizeof(memory));
    distance_of(MOST, MOST, 24);
    assert_false(proved);
}

/* A count that the memory cannot hold, and every length of garbage: never out of bounds, always a known distance. */
static void test_records__any_bytes_are_survived(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 20000; round++) {
        unsigned int room = 1 + (unsigned int)rand() % MOST;
        unsigned int count = (unsigned int)rand() % (room + 1);
        size_t length = (size_t)rand() % (room * NVP__RECORD_ROOM);
        nvp__records_fill(memory, sizeof(memory));
        for (size_t i = 0; i < length; i++) {
            memory[i] = (unsigned char)(rand() % 3 == 0 ? rand() : 0);
        }
        size_t distance = distance_of(count, room, 24);
        assert_true(distance == 16 || distance == 24 || distance == 32);
    }
}

static void test_records__rows_that_cannot_be_are_told(void **state)
{
    static const unsigned int odd[] = { 0, 0xffffffffu, 0x80000000u, 8388609 };
    nvmlProcessDetail_v1_t process;
    (void)state;
    write_record(24, 0, 24);
    write_record(24, 1, 24);
    assert_true(nvp__records_read(memory, 24, 1, &process));
    assert_int_equal(process.pid, 1001);
    assert_true(process.usedGpuMemory == 10ull << 30);
    assert_true(process.usedGpuCcProtectedMemory == ~0ull);
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        memcpy(memory, &odd[i], sizeof(odd[i]));
        assert_false(nvp__records_read(memory, 24, 0, &process));
    }
    memcpy(memory, &(unsigned int){ 4194304 }, sizeof(unsigned int));
    assert_true(nvp__records_read(memory, 24, 0, &process));
}

static void test_records__short_record_has_no_instances(void **state)
{
    nvmlProcessDetail_v1_t process;
    (void)state;
    write_record(16, 0, 16);
    assert_true(nvp__records_read(memory, 16, 0, &process));
    assert_int_equal(process.gpuInstanceId, 0xffffffffu);
    assert_int_equal(process.computeInstanceId, 0xffffffffu);
    write_record(32, 0, 32);
    assert_true(nvp__records_read(memory, 32, 0, &process));
    assert_true(process.usedGpuCcProtectedMemory == 5ull << 33);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records__distance_of_every_size),
        cmocka_unit_test(test_records__idle_device_proves_nothing),
        cmocka_unit_test(test_records__buffer_that_was_cleared_first),
        cmocka_unit_test(test_records__tail_that_is_left_out_proves_nothing),
        cmocka_unit_test(test_records__one_record_is_no_proof_against_the_header),
        cmocka_unit_test(test_records__nothing_written_or_nonsense_is_what_the_header_says),
        cmocka_unit_test(test_records__any_bytes_are_survived),
        cmocka_unit_test(test_records__rows_that_cannot_be_are_told),
        cmocka_unit_test(test_records__short_record_has_no_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
