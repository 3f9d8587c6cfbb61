/*
 * Field ids: which numbers a driver knows, and what they mean to it.
 */
#include "sim.h"

#include <string.h>

static nvmlReturn_t read_id(unsigned id, nvmlFieldValue_t *value)
{
    *value = (nvmlFieldValue_t){ .fieldId = id };
    SUCCEEDS(CALL(nvmlDeviceGetFieldValues)(sim_device(0), 1, value));
    return value->nvmlReturn;
}

/* The end of the numbers that the published header of a driver has. */
static unsigned expected_end(void)
{
    static const struct {
        const char *driver;
        unsigned end;
    } rows[] = { { "390.157", 94 },     { "418.226.00", 96 },  { "450.248.02", 147 }, { "460.106.00", 161 },
                 { "470.256.02", 161 }, { "525.147.05", 197 }, { "535.54.03", 197 },  { "535.309.01", 228 },
                 { "550.163.01", 228 }, { "580.65.06", 274 },  { "610.43.02", 303 } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].driver, sim_driver) == 0) {
            return rows[i].end;
        }
    }
    return 0;
}

static void test_fields__numbers_end_where_the_header_ends(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    NEEDS("nvmlDeviceGetFieldValues");
    sim_init();
    nvmlFieldValue_t value;
    for (unsigned id = 0; id < 400; id++) {
        nvmlReturn_t result = read_id(id, &value);
        bool is_known = id > 0 && id < expected_end();
        if (!is_known && result != NVML_ERROR_INVALID_ARGUMENT) {
            fail_msg("id %u answers %d", id, result);
        }
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_fields__what_a_driver_learned_later_it_lacks(void **state)
{
    (void)state;
    static const struct {
        unsigned id, since[3];
    } fields[] = { { NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, { 390, 157, 0 } },
                   { NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, { 450, 51, 0 } },
                   { NVML_FI_DEV_REMAPPED_COR, { 450, 51, 0 } },
                   { NVML_FI_DEV_POWER_AVERAGE, { 525, 105, 17 } },
                   { NVML_FI_DEV_POWER_INSTANT, { 525, 105, 17 } },
                   { NVML_FI_DEV_TEMPERATURE_SLOWDOWN_TLIMIT, { 525, 125, 6 } },
                   { NVML_FI_DEV_POWER_MIN_LIMIT, { 535, 43, 2 } },
                   { NVML_FI_DEV_ENERGY, { 535, 43, 2 } },
                   { NVML_FI_DEV_PCIE_COUNT_TX_BYTES, { 555, 42, 2 } },
                   { NVML_FI_DEV_NVLINK_COUNT_RCV_BYTES, { 560, 28, 3 } } };
    sim_load_profile("h100x8");
    NEEDS("nvmlDeviceGetFieldValues");
    sim_init();
    nvmlFieldValue_t value;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        bool is_known = sim_since(fields[i].since[0], fields[i].since[1], fields[i].since[2]);
        if ((read_id(fields[i].id, &value) == NVML_SUCCESS) != is_known) {
            fail_msg("id %u answers %d", fields[i].id, value.nvmlReturn);
        }
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* Between 575 and 580.82 the reasons for slow clocks stood where power smoothing stood before and after. */
static void test_fields__renumbered_ids_mean_what_their_driver_says(void **state)
{
    (void)state;
    sim_load_scenario("base: h100x8\nclock: stepped\ndevice_defaults: {clocks_throttle_reasons: {sw_thermal_slowdown: true}}\n");
    NEEDS("nvmlDeviceGetFieldValues");
    sim_init();
    nvmlFieldValue_t value;
    bool is_early = sim_since(575, 51, 2) && !sim_since(580, 82, 7);
    if (is_early) {
        ANSWERS(read_id(251, &value), NVML_SUCCESS);
        assert_int_equal(value.valueType, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
        ANSWERS(read_id(256, &value), NVML_ERROR_NOT_SUPPORTED); /* power smoothing, which this hardware lacks */
        ANSWERS(read_id(269, &value), NVML_ERROR_NOT_SUPPORTED);
    } else if (sim_since(580, 82, 7)) {
        ANSWERS(read_id(251, &value), NVML_ERROR_NOT_SUPPORTED);
        ANSWERS(read_id(269, &value), NVML_SUCCESS);
        ANSWERS(read_id(270, &value), NVML_SUCCESS);
    } else {
        ANSWERS(read_id(251, &value), NVML_ERROR_INVALID_ARGUMENT);
    }
    nvmlReturn_t expected = sim_since(550, 40, 7) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
    if (sim_since(535, 183, 1) && !sim_since(550, 40, 7)) {
        expected = NVML_ERROR_NOT_SUPPORTED; /* not known yet, though numbers beyond it are */
    }
    ANSWERS(read_id(199, &value), expected);
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_fields__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(numbers_end_where_the_header_ends),
        CASE(what_a_driver_learned_later_it_lacks),
        CASE(renumbered_ids_mean_what_their_driver_says),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
