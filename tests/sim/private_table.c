/*
 * The private table that nvidia-smi asks for: its id, its size, the places that are understood, and that the others do nothing.
 */
#include "sim.h"

#include <string.h>

static const unsigned char table_id[16] = { 0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e,
                                            0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4 };

enum {
    ENFORCED_LIMIT = 108,
    GRAPHICS_ARE_LISTED = 157,
    COMPUTE_LIST = 213,
    MPS_LIST = 214,
    GRAPHICS_LIST = 215,
    NAME_SIZE = 4096
};

typedef nvmlReturn_t place_fn(void *, void *, void *);

static nvmlReturn_t get(const void **table, const void *id)
{
    return ((nvmlReturn_t(*)(const void **, const void *))sim_need("nvmlInternalGetExportTable"))(table, id);
}

static const uintptr_t *table_of_driver(void)
{
    const void *table = NULL;
    SUCCEEDS(get(&table, table_id));
    assert_non_null(table);
    return table;
}

/* NULL for a place that this driver's table does not have. */
static place_fn *place(size_t number)
{
    const uintptr_t *table = table_of_driver();
    return number < table[0] / sizeof(void *) ? (place_fn *)table[number] : NULL;
}

static void test_private_table__is_known_by_its_id(void **state)
{
    (void)state;
    static const unsigned char id[16] = { 1, 2, 3 };
    const void *table = id;
    sim_load_profile("h100x8");
    ANSWERS(get(&table, NULL), NVML_ERROR_INVALID_ARGUMENT);
    assert_ptr_equal(table, id);
    ANSWERS(get(NULL, table_id), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(get(&table, id), NVML_ERROR_INVALID_ARGUMENT);
    assert_null(table);
    assert_in_range(table_of_driver()[0], 1120, 2008);
    assert_int_equal(table_of_driver()[0] % sizeof(void *), 0);
}

/* Whatever nvidia-smi passes to a place that nobody understands, nothing is read or written there. */
static void test_private_table__other_places_touch_nothing(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    sim_init();
    for (size_t number = 1; place(number); number++) {
        nvmlReturn_t wrong = place(number)((void *)1, (void *)1, (void *)1);
        nvmlReturn_t empty = place(number)(sim_device(0), NULL, NULL);
        bool is_served = number == ENFORCED_LIMIT ||
                         (number == GRAPHICS_ARE_LISTED && sim_since(390, 0, 0) && !sim_since(418, 0, 0)) ||
                         (number >= COMPUTE_LIST && number <= GRAPHICS_LIST);
        assert_int_equal(wrong, is_served ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_SUPPORTED);
        assert_int_equal(empty, is_served ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_SUPPORTED);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
    ANSWERS(place(ENFORCED_LIMIT)(NULL, NULL, NULL), NVML_ERROR_UNINITIALIZED);
}

static void test_private_table__lists_processes_by_type_with_names(void **state)
{
    (void)state;
    static const struct {
        size_t place;
        unsigned pid;
        unsigned long long mib;
        const char *name;
    } rows[] = { { COMPUTE_LIST, 4200001, 100, "/opt/compute --all" },
                 { MPS_LIST, 4200002, 200, "/opt/mps" },
                 { GRAPHICS_LIST, 4200003, 300, "/opt/draw" } };
    static unsigned char room[2 * (32 + NAME_SIZE)];
    size_t head = sim_since(535, 0, 0) ? 32 : 24;
    sim_load_scenario("processes:\n"
                      "  - {pid: 4200001, type: C, device: 0, used_memory_mib: 100, name: /opt/compute --all}\n"
                      "  - {pid: 4200002, type: M, device: 0, used_memory_mib: 200, name: /opt/mps}\n"
                      "  - {pid: 4200003, type: G, device: 0, used_memory_mib: 300, name: /opt/draw}\n");
    sim_init();
    for (size_t i = 0; place(COMPUTE_LIST) && i < sizeof rows / sizeof rows[0]; i++) {
        nvmlProcessInfo_v2_t info;
        unsigned count = 0;
        ANSWERS(place(rows[i].place)(sim_device(0), &count, NULL), NVML_ERROR_INSUFFICIENT_SIZE);
        assert_int_equal(count, 1);
        count = 2;
        memset(room, 0xa5, sizeof room);
        SUCCEEDS(place(rows[i].place)(sim_device(0), &count, room));
        assert_int_equal(count, 1);
        memcpy(&info, room, sizeof info);
        assert_int_equal(info.pid, rows[i].pid);
        assert_int_equal(info.usedGpuMemory, rows[i].mib << 20);
        assert_int_equal(info.gpuInstanceId, UINT32_MAX);
        assert_string_equal((char *)room + head, rows[i].name);
        assert_int_equal(room[head + NAME_SIZE - 1], 0);
        assert_int_equal(room[head + NAME_SIZE], 0xa5);
    }
    assert_int_equal(place(COMPUTE_LIST) != NULL, sim_since(525, 0, 0));
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_private_table__answers_as_the_public_function_does(void **state)
{
    (void)state;
    unsigned limit = 0, same = 0, are_listed = 0;
    sim_load_scenario("device_defaults: {power: {enforced_limit_mw: 123456}}\n"
                      "faults: [{function: nvmlDeviceGetEnforcedPowerLimit, error: NO_PERMISSION, after_calls: 2, times: 1}]\n");
    sim_init();
    SUCCEEDS(place(ENFORCED_LIMIT)(sim_device(0), &limit, NULL));
    SUCCEEDS(CALL(nvmlDeviceGetEnforcedPowerLimit)(sim_device(0), &same));
    assert_int_equal(limit, 123456);
    assert_int_equal(same, limit);
    ANSWERS(place(ENFORCED_LIMIT)(sim_device(0), &limit, NULL), NVML_ERROR_NO_PERMISSION);
    if (sim_since(390, 0, 0) && !sim_since(418, 0, 0)) {
        SUCCEEDS(place(GRAPHICS_ARE_LISTED)(sim_device(0), &are_listed, NULL));
        assert_int_equal(are_listed, 1);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_private_table__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(is_known_by_its_id),
        CASE(other_places_touch_nothing),
        CASE(lists_processes_by_type_with_names),
        CASE(answers_as_the_public_function_does),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
