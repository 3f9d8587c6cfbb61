/*
 * The scenario reader: what is refused and how it says so, what is accepted, and what the documents promise.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each message stands after "FILE:". */
static const struct bad {
    const char *yaml, *message;
} bad[] = {
    { "clock: fast\n", "1:8: key 'clock': 'fast' is not allowed; allowed: real, stepped" },
    { "clock: steped\n", "1:8: key 'clock': 'steped' is not allowed, did you mean 'stepped'? allowed: real, stepped" },
    { "clok: real\n", "1:1: key 'clok': unknown key, did you mean 'clock'? allowed: " },
    { "\n\nzzz: 1\n", "3:1: key 'zzz': unknown key; allowed: base, clock, " },
    { "device_defaults:\n  power:\n    enforced_limit: 5\n",
      "3:5: key 'device_defaults.power.enforced_limit': unknown key, did you mean 'enforced_limit_mw'? allowed: " },
    { "device_defaults:\n  power:\n    enforced_limit_mw: lots\n",
      "3:24: key 'device_defaults.power.enforced_limit_mw': 'lots' is not allowed; allowed: a whole number from 0 to 10000000 "
      "mW" },
    { "device_defaults: {utilization: {gpu: 101}}\n",
      "1:38: key 'device_defaults.utilization.gpu': '101' is not allowed; allowed: a number from 0 to 100 %, or a mapping with "
      "'move'" },
    { "device_defaults: {utilization: {gpu: {move: sine, low: 5}}}\n", "1:38: key 'device_defaults.utilization.gpu': this "
                                                                       "movement needs 'low' and 'high'" },
    { "device_defaults: {utilization: {gpu: {move: sine, low: 50, high: 5}}}\n",
      "1:38: key 'device_defaults.utilization.gpu': 'low' must not exceed 'high'" },
    { "device_defaults: {utilization: {gpu: {move: steps}}}\n",
      "1:38: key 'device_defaults.utilization.gpu': 'move: steps' needs 'values', a list of at least one number" },
    { "device_defaults: {utilization: {gpu: {move: jump, low: 1, high: 2}}}\n",
      "1:45: key 'device_defaults.utilization.gpu.move': 'jump' is not allowed; allowed: constant, sine, square, steps, walk" },
    { "device_defaults: {utilization: {gpu: {move: walk, low: 1, high: 200}}}\n",
      "1:65: key 'device_defaults.utilization.gpu.high': '200' is not allowed" },
    { "devices:\n  - index: 0\n  - index: 1\n    pci: {bus_id: here}\n",
      " device 1: pci.bus_id is no PCI address; allowed: such as 0000:1b:00.0" },
    { "devices: [{uuid: GPU-1}, {uuid: GPU-1}]\n", " device 1: uuid is that of another device too" },
    { "devices: [{pci: {bus_id: '0000:01:00.0'}}, {pci: {bus_id: '0000:01:00.0'}}]\n",
      " device 1: pci.bus_id is that of another device too" },
    { "devices: {index: 0}\n", "1:10: key 'devices': must be a list of mappings, each with its index" },
    { "devices: [5]\n", "1:11: key 'devices[0]': must be a mapping" },
    { "system: {num_devices: 2}\ndevices: [{index: 2}]\n",
      "2:11: key 'devices[0]': index 2 is not allowed; system.num_devices is 2" },
    { "system: {num_devices: 2000}\n",
      "1:23: key 'system.num_devices': '2000' is not allowed; allowed: a whole number from 0 to 1024 devices" },
    { "system: 5\n", "1:9: key 'system': must be a mapping (key: value lines)" },
    { "clock: real\ndevices: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n",
      "2:73: nested deeper than 64 levels" },
    { "clock: real\nclock: real\n", "2:1: 'clock' is given twice" },
    { "base: h100x\n", " key 'base': there is no profile 'h100x', did you mean 'h100x8'? allowed: h100x8, rtx4090x2" },
    { "version: 3\n", "1:10: key 'version': this version is not known; allowed: 1, \"1.0\"" },
    { "processes: [{name: x}]\n", "1:13: key 'processes[0]': a process at the top level needs 'device' or 'devices'" },
    { "processes: [{device: 4}]\n", " device 4: a process is on this device, which does not exist" },
    { "processes: [{device: 0, pid: me}]\n",
      "1:30: key 'processes[0].pid': allowed: a whole number from 0 to 4294967295, or self" },
    { "processes: [{device: 0, name_hex: 6g}]\n", "1:35: key 'processes[0].name_hex': allowed: 1 to 255 bytes" },
    { "device_defaults: {processes: [{device: 0}]}\n",
      "1:31: key 'device_defaults.processes[0]': 'device' and 'devices' are for processes at the top level" },
    { "device_defaults: {memory: {total_bytes: 1GiB}, processes: [{used_memory_mib: 2000}]}\n",
      " device 0: its processes can use 2097152000 bytes, more than the 1073741824 bytes it has for them" },
    { "device_defaults: {memory: {total_bytes: 1000, reserved_bytes: 2000}}\n",
      " device 0: memory.reserved_bytes exceeds memory.total_bytes" },
    { "device_defaults: {power: {max_limit_mw: 10, enforced_limit_mw: 20}}\n",
      " device 0: power.enforced_limit_mw exceeds power.max_limit_mw" },
    { "faults: [{function: nvmlDeviceGetPowerUsag, error: 1}]\n",
      "1:21: key 'faults[0].function': 'nvmlDeviceGetPowerUsag' is no NVML function, did you mean 'nvmlDeviceGetPowerUsage'? "
      "allowed: an exported name, or any" },
    { "faults: [{error: GPU_IS_LOOST}]\n", "1:18: key 'faults[0].error': 'GPU_IS_LOOST' is no error of NVML, did you mean "
                                           "'GPU_IS_LOST'? allowed: a name such as GPU_IS_LOST, or a number" },
    { "faults: [{function: any}]\n", "1:10: key 'faults[0]': a fault needs 'error', 'latency_ms' or 'hang: true'" },
    { "faults: [{device: 9, error: 1}]\n", " device 9: a fault names this device, which does not exist" },
    { "events: [{device: 1, at_ms: 5}]\n", " device 1: an event names this device, which does not exist" },
    { "events: [{type: xid}]\n", "1:10: key 'events[0]': an event needs 'at_ms'" },
    { "device_defaults: {mig: {devices: [{gpu_instance: 1, profile: 1g}]}}\n",
      " device 0: mig.devices: profile is not one of mig.profiles" },
    { "device_defaults: {mig: {devices: [{gpu_instance: 1}]}}\n",
      "1:35: key 'device_defaults.mig.devices[0]': needs profile and gpu_instance" },
    { "device_defaults: {mig: {profiles: [{name: 1g}]}}\n",
      "1:36: key 'device_defaults.mig.profiles[0]': needs name and memory_bytes" },
    { "device_defaults: {memory: {total_bytes: 5GiB}, mig: {max_gpu_instances: 7, profiles: [{name: 1g, memory_bytes: 3GiB}], "
      "devices: [{gpu_instance: 1, profile: 1g}, {gpu_instance: 2, profile: 1g}]}}\n",
      " device 0: mig.devices: their memory exceeds memory.total_bytes" },
    { "device_defaults: {memory: {total_bytes: 5GiB}, mig: {max_gpu_instances: 7, profiles: [{name: 1g, memory_bytes: 1GiB}], "
      "devices: [{gpu_instance: 1, profile: 1g}, {gpu_instance: 1, profile: 1g}]}}\n",
      " device 0: mig.devices: two have the same gpu_instance and compute_instance" },
    { "device_defaults: {memory: {total_bytes: 5GiB}, mig: {mode_current: enabled, max_gpu_instances: 7, profiles: [{name: 1g, "
      "memory_bytes: 1GiB}], devices: [{gpu_instance: 1, profile: 1g}]}, processes: [{gpu_instance: 1, used_memory_mib: "
      "1025}]}\n",
      " device 0: the processes of a GPU instance can use 1074790400 bytes, more than the 1073741824 bytes it has for them" },
    { "device_defaults: {processes: [{gpu_instance: 1}]}\n",
      " device 0: a process is in a gpu_instance and compute_instance that mig.devices does not have" },
    { "name: [1]\n", "1:7: key 'name': must be a text" },
    { "clock: {a: 1}\n", "1:8: key 'clock': must be a word; allowed: real, stepped" },
    { "a: [1\nb: 2\n", "2:2: not valid YAML: while parsing a flow sequence: did not find expected ',' or ']'" },
    { "\t- x\n", "1:1: not valid YAML: " },
    { "", "1:1: the file is empty; a scenario is a mapping such as 'base: h100x8'" },
    { "- 1\n", "1:1: must be a mapping (key: value lines)" },
    { "? [a]\n: 1\n", "1:3: a key must be a word" },
};

static void test_scenario__mistakes_are_told_by_place_and_cure(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char message[1024] = "", expected[1024];
        const char *path = sim_write_file(bad[i].yaml);
        int result = CALL(nvpsim_check_scenario)(path, message, sizeof message);
        unlink(path);
        if (result != -1)
            fail_msg("accepted: %s", bad[i].yaml);
        snprintf(expected, sizeof expected, "%s:%s", path, bad[i].message);
        if (strncmp(message, expected, strlen(expected)) != 0)
            fail_msg("%s\nsays:   %s\nwanted: %s", bad[i].yaml, message, expected);
        assert_null(strchr(message, '\n'));
    }
}

static const char *const good[] = {
    "clock: stepped\n",
    "base: rtx4090x2\n",
    "base: h100x8\nsystem: {num_devices: 2}\n",
    "system: {num_devices: 0}\n",
    "system: {num_devices: 64}\n",
    "version: \"1.0\"\nname: N\ndescription: about\nseed: 7\n",
    "device_defaults: {fan: {count: 0, speed_percent: N/A}, utilization: {gpu: N/A, memory: ~}}\n",
    "device_defaults: {memory: {total_bytes: 16GiB, reserved_bytes: 300 MiB, used_bytes: {move: walk, low: 0, high: 8GiB}}}\n",
    ("device_defaults: {pci: {device_id: 0x1EB810DE}}\ndevices: [{pci: {bus_id: '3b:00.0'}}, {pci: {bus_id: "
     "'00000001:3b:00.0'}}]\n"),
    "processes: [{devices: all, pid: self, type: C+G}]\n",
    "faults: [{function: any, device: any, latency_ms: 5}]\n",
    "device_defaults: &d {name: one}\ndevices: [*d, *d]\n",
};

static void test_scenario__what_is_right_is_accepted(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char message[1024] = "";
        const char *path = sim_write_file(good[i]);
        int result = CALL(nvpsim_check_scenario)(path, message, sizeof message);
        unlink(path);
        if (result != 0)
            fail_msg("%s\nsays: %s", good[i], message);
    }
    assert_int_equal(CALL(nvpsim_check_scenario)("/nonexistent/file.yaml", NULL, 0), -1);
    assert_int_equal(CALL(nvpsim_check_scenario)(NULL, NULL, 0), -1);
}

static void test_scenario__a_file_changes_the_profile_that_it_is_based_on(void **state)
{
    (void)state;
    char text[96];
    unsigned count = 0, cores;
    sim_load_scenario("base: h100x8\n"
                      "system: {num_devices: 3}\n"
                      "device_defaults: {num_gpu_cores: 77, name: \"N\"}\n"
                      "devices: [{index: 1, name: \"Second\", serial: \"S2\"}]\n"
                      "processes: []\n");
    sim_init();
    SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&count));
    assert_int_equal(count, 3);
    SUCCEEDS(CALL(nvmlDeviceGetName)(sim_device(0), text, sizeof text));
    assert_string_equal(text, "N");
    SUCCEEDS(CALL(nvmlDeviceGetName)(sim_device(1), text, sizeof text));
    assert_string_equal(text, "Second");
    SUCCEEDS(CALL(nvmlDeviceGetSerial)(sim_device(1), text, sizeof text));
    assert_string_equal(text, "S2");
    SUCCEEDS(CALL(nvmlDeviceGetSerial)(sim_device(2), text, sizeof text));
    assert_string_equal(text, "1655223100103");
    SUCCEEDS(CALL(nvmlDeviceGetVbiosVersion)(sim_device(2), text, sizeof text));
    assert_string_equal(text, "96.00.89.00.01");
    if (sim_find("nvmlDeviceGetNumGpuCores")) {
        SUCCEEDS(CALL(nvmlDeviceGetNumGpuCores)(sim_device(2), &cores));
        assert_int_equal(cores, 77);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_scenario__profiles_are_listed_and_are_good(void **state)
{
    (void)state;
    size_t index = 0, size;
    char message[1024];
    sim_load_profile("h100x8");
    for (; CALL(nvpsim_profile_name)(index); index++) {
        assert_true(strlen(CALL(nvpsim_profile_summary)(index)) > 10);
        const char *text = CALL(nvpsim_profile_text)(index, &size);
        assert_int_equal(strlen(text), size);
        const char *path = sim_write_file(text);
        if (CALL(nvpsim_check_scenario)(path, message, sizeof message) != 0)
            fail_msg("%s", message);
        unlink(path);
    }
    assert_int_equal(index, 11);
    assert_null(CALL(nvpsim_profile_summary)(index));
    assert_null(CALL(nvpsim_profile_text)(index, &size));
}

static void test_scenario__sixty_four_devices_are_told_apart(void **state)
{
    (void)state;
    char uuids[64][96], bus_ids[64][16];
    sim_load_scenario("system: {num_devices: 64}\n");
    sim_init();
    for (unsigned i = 0; i < 64; i++) {
        nvp_PciInfo_v2_t pci = { 0 };
        SUCCEEDS(CALL(nvmlDeviceGetUUID)(sim_device(i), uuids[i], sizeof uuids[i]));
        SUCCEEDS(CALL(nvmlDeviceGetPciInfo_v2)(sim_device(i), (nvmlPciInfo_t *)(void *)&pci));
        memcpy(bus_ids[i], pci.busId, sizeof pci.busId);
        assert_int_equal(strlen(uuids[i]), 40);
        for (unsigned other = 0; other < i; other++) {
            assert_string_not_equal(uuids[i], uuids[other]);
            assert_string_not_equal(bus_ids[i], bus_ids[other]);
        }
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static const char *const key_paths[] = {
#define TEXT(path, member, most, help) #path,
#define NUMBER(path, member, low, high, unit, help) #path,
#define CHOICE(path, member, choices, help) #path,
#define MOVEMENT(path, member, low, high, unit, help) #path,
#define CUSTOM(path, reader, help) #path,
#define UNUSED(path) #path,
#include "scenario/keys/device.def"
#include "scenario/keys/event.def"
#include "scenario/keys/fault.def"
#include "scenario/keys/mig_device.def"
#include "scenario/keys/mig_profile.def"
#include "scenario/keys/movement.def"
#include "scenario/keys/process.def"
#include "scenario/keys/top.def"
};

static void test_scenario__every_key_is_in_the_manual(void **state)
{
    (void)state;
    enum { SIZE = 256 * 1024 };
    char *manual = test_malloc(SIZE);
    FILE *file = fopen(SIM_MANUAL, "re");
    assert_non_null(file);
    manual[fread(manual, 1, SIZE - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; i < sizeof key_paths / sizeof key_paths[0]; i++) {
        char quoted[128];
        snprintf(quoted, sizeof quoted, "`%s`", key_paths[i]);
        if (!strstr(manual, quoted))
            fail_msg("docs/simulator.md does not mention %s", quoted);
    }
    test_free(manual);
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_scenario__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(mistakes_are_told_by_place_and_cure),
        CASE(what_is_right_is_accepted),
        CASE(a_file_changes_the_profile_that_it_is_based_on),
        CASE(profiles_are_listed_and_are_good),
        CASE(sixty_four_devices_are_told_apart),
        CASE(every_key_is_in_the_manual),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
