/*
 * Which device it is, what it has: each call served by another one.
 */
#include "compare.h"

#define OF_SECOND(function, object) function(device_at(1), object)
#define OF_LINK(function, object) function(device_at(0), 3, object)
#define OF_SYSTEM(function, object) function(object)
#define BY_INDEX(function, object) function(1, object)

/* Both devices: the second one of the driver for families sits in a long domain and is a virtual function. */
static void pci_v1(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetPciInfo, nvp_PciInfo_v1_t, OF_DEVICE, , );
    CHECK_STRUCT(nvmlDeviceGetPciInfo, nvp_PciInfo_v1_t, OF_SECOND, , );
}

static void lose_subsystem(const char *function, const char *type, void *object)
{
    if (is_served_by(function, "nvmlDeviceGetPciInfo")) {
        set_unknown(type, object, "pciSubSystemId");
    }
}

static void pci_v2(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetPciInfo_v2, nvp_PciInfo_v2_t, OF_DEVICE, ,
                 lose_subsystem("nvmlDeviceGetPciInfo_v2", "nvp_PciInfo_v2_t", object));
    CHECK_STRUCT(nvmlDeviceGetPciInfo_v2, nvp_PciInfo_v2_t, OF_SECOND, ,
                 lose_subsystem("nvmlDeviceGetPciInfo_v2", "nvp_PciInfo_v2_t", object));
}

static void pci_v3(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetPciInfo_v3, nvmlPciInfo_t, OF_DEVICE, ,
                 lose_subsystem("nvmlDeviceGetPciInfo_v3", "nvmlPciInfo_t", object));
    CHECK_STRUCT(nvmlDeviceGetPciInfo_v3, nvmlPciInfo_t, OF_SECOND, ,
                 lose_subsystem("nvmlDeviceGetPciInfo_v3", "nvmlPciInfo_t", object));
}

static void lose_classes(void *object)
{
    set_unknown("nvmlPciInfoExt_v1_t", object, "baseClass");
    set_unknown("nvmlPciInfoExt_v1_t", object, "subClass");
    lose_subsystem("nvmlDeviceGetPciInfoExt", "nvmlPciInfoExt_v1_t", object);
}

static void pci_ext(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetPciInfoExt, nvmlPciInfoExt_v1_t, OF_DEVICE, object->version = nvmlPciInfoExt_v1,
                 lose_classes(object));
    CHECK_STRUCT(nvmlDeviceGetPciInfoExt, nvmlPciInfoExt_v1_t, OF_SECOND, object->version = nvmlPciInfoExt_v1,
                 lose_classes(object));
    CHECK_WORD(nvmlDeviceGetPciInfoExt, nvmlPciInfoExt_v1_t, OF_DEVICE);
}

static void remote_pci_v1(void **state)
{
    nvmlPciInfo_t info;
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetNvLinkRemotePciInfo, nvp_PciInfo_v2_t, OF_LINK, , );
    assert_int_equal(nvp_nvmlDeviceGetNvLinkRemotePciInfo(device_at(0), 99, &info), NVML_ERROR_INVALID_ARGUMENT);
}

static void remote_pci_v2(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetNvLinkRemotePciInfo_v2, nvmlPciInfo_t, OF_LINK, , );
}

#define GPU_UUID "GPU-00112233-4455-6677-8899-aabbccddeeff"

static void uuid_text(void **state)
{
    nvmlDevice_t device = NULL;
    (void)state;
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUID(GPU_UUID, &device), NVML_SUCCESS);
    assert_ptr_equal(device, device_at(0));
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUID("MIG-" GPU_UUID "/1/0", &device), NVML_ERROR_NOT_FOUND);
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUID("GPU-0", &device), NVML_ERROR_NOT_FOUND);
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUID(NULL, &device), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUID("GPU-0", NULL), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUID("MIG-" GPU_UUID "/1/0", NULL), NVML_ERROR_INVALID_ARGUMENT);
    assert_ptr_equal(device, device_at(0));
}

static void uuid_struct(void **state)
{
    nvmlUUID_t uuid = { .version = nvmlUUID_v1, .type = NVML_UUID_TYPE_ASCII };
    nvmlDevice_t device = NULL;
    (void)state;
    memcpy(uuid.value.str, GPU_UUID, sizeof(GPU_UUID));
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUIDV(&uuid, &device), NVML_SUCCESS);
    assert_ptr_equal(device, device_at(0));
    uuid.type = NVML_UUID_TYPE_BINARY; /* of the MIG device, with a zero at its end */
    memcpy(uuid.value.bytes, "\xff\xee\xdd\xcc\xbb\xaa\x99\x88\x77\x66\x55\x44\x33\x22\x11", NVML_DEVICE_UUID_BINARY_LEN);
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUIDV(&uuid, &device), NVML_SUCCESS);
    assert_ptr_equal(device, device_at(1));
    memcpy(uuid.value.bytes, "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", NVML_DEVICE_UUID_BINARY_LEN);
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUIDV(&uuid, &device), NVML_SUCCESS);
    assert_ptr_equal(device, device_at(0));
    uuid.value.bytes[15] = 0;
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUIDV(&uuid, &device), NVML_ERROR_NOT_FOUND);
    uuid.type = NVML_UUID_TYPE_NONE;
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUIDV(&uuid, &device), NVML_ERROR_INVALID_ARGUMENT);
    uuid.version = 1;
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUIDV(&uuid, &device), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(nvp_nvmlDeviceGetHandleByUUIDV(NULL, &device), NVML_ERROR_INVALID_ARGUMENT);
    assert_ptr_equal(device, device_at(0));
}

static void count_v1(void **state)
{
    (void)state;
    CHECK_NUMBER(nvmlDeviceGetCount, unsigned int, OF_SYSTEM);
}

static void count_v2(void **state)
{
    (void)state;
    CHECK_NUMBER(nvmlDeviceGetCount_v2, unsigned int, OF_SYSTEM);
}

static void index_v1(void **state)
{
    (void)state;
    CHECK_NUMBER(nvmlDeviceGetHandleByIndex, nvmlDevice_t, BY_INDEX);
}

static void index_v2(void **state)
{
    (void)state;
    CHECK_NUMBER(nvmlDeviceGetHandleByIndex_v2, nvmlDevice_t, BY_INDEX);
}

static char bus_id[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
#define BY_BUS_ID(function, object) function(bus_id, object)

static void read_bus_id(void)
{
    nvmlPciInfo_t info;
    assert_int_equal(WHOLE(nvmlDeviceGetPciInfo_v3)(device_at(1), &info), NVML_SUCCESS);
    memcpy(bus_id, info.busId, sizeof(bus_id));
}

static void bus_id_v1(void **state)
{
    (void)state;
    read_bus_id();
    CHECK_NUMBER(nvmlDeviceGetHandleByPciBusId, nvmlDevice_t, BY_BUS_ID);
}

static void bus_id_v2(void **state)
{
    (void)state;
    read_bus_id();
    CHECK_NUMBER(nvmlDeviceGetHandleByPciBusId_v2, nvmlDevice_t, BY_BUS_ID);
}

static void memory_v1(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetMemoryInfo, nvmlMemory_t, OF_DEVICE, , );
}

static void memory_v2(void **state)
{
    nvmlMemory_t older;
    (void)state;
    assert_int_equal(nvp_nvmlDeviceGetMemoryInfo(device_at(0), &older), NVML_SUCCESS);
    CHECK_STRUCT(nvmlDeviceGetMemoryInfo_v2, nvmlMemory_v2_t, OF_DEVICE, object->version = nvmlMemory_v2, {
        set_unknown("nvmlMemory_v2_t", object, "reserved");
        object->used = older.used;
    });
    CHECK_WORD(nvmlDeviceGetMemoryInfo_v2, nvmlMemory_v2_t, OF_DEVICE);
}

#define OF_CPUS(function, object) function(device_at(0), 4, object)
#define OF_CPUS_IN_NODE(function, object) function(device_at(0), 4, object, NVML_AFFINITY_SCOPE_NODE)

static void cpu_affinity(void **state)
{
    unsigned long set[4] = { 0 };
    unsigned long expected[4] = { 1 };
    (void)state;
    assert_int_equal(OF_CPUS(nvp_nvmlDeviceGetCpuAffinity, set), NVML_SUCCESS);
    assert_int_equal(OF_CPUS(WHOLE(nvmlDeviceGetCpuAffinity), expected), NVML_SUCCESS);
    assert_memory_equal(set, expected, sizeof(set));
    assert_int_equal(OF_CPUS(nvp_nvmlDeviceGetCpuAffinity, NULL), NVML_ERROR_INVALID_ARGUMENT);
}

static void cpu_affinity_in_scope(void **state)
{
    unsigned long set[4] = { 0 };
    unsigned long expected[4] = { 1 };
    (void)state;
    assert_int_equal(OF_CPUS_IN_NODE(nvp_nvmlDeviceGetCpuAffinityWithinScope, set), NVML_SUCCESS);
    assert_int_equal(OF_CPUS_IN_NODE(WHOLE(nvmlDeviceGetCpuAffinityWithinScope), expected), NVML_SUCCESS);
    assert_memory_equal(set, expected, sizeof(set));
    assert_int_equal(nvp_nvmlDeviceGetCpuAffinityWithinScope(device_at(0), 4, set, NVML_AFFINITY_SCOPE_SOCKET),
                     NVML_ERROR_NOT_SUPPORTED);
    assert_int_equal(nvp_nvmlDeviceGetCpuAffinityWithinScope(device_at(0), 4, set, 2), NVML_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(set, expected, sizeof(set));
}

const struct check identity_checks[] = {
    { "nvmlDeviceGetPciInfo", pci_v1 },
    { "nvmlDeviceGetPciInfo_v2", pci_v2 },
    { "nvmlDeviceGetPciInfo_v3", pci_v3 },
    { "nvmlDeviceGetPciInfoExt", pci_ext },
    { "nvmlDeviceGetNvLinkRemotePciInfo", remote_pci_v1 },
    { "nvmlDeviceGetNvLinkRemotePciInfo_v2", remote_pci_v2 },
    { "nvmlDeviceGetHandleByUUID", uuid_text },
    { "nvmlDeviceGetHandleByUUIDV", uuid_struct },
    { "nvmlDeviceGetCount", count_v1 },
    { "nvmlDeviceGetCount_v2", count_v2 },
    { "nvmlDeviceGetHandleByIndex", index_v1 },
    { "nvmlDeviceGetHandleByIndex_v2", index_v2 },
    { "nvmlDeviceGetHandleByPciBusId", bus_id_v1 },
    { "nvmlDeviceGetHandleByPciBusId_v2", bus_id_v2 },
    { "nvmlDeviceGetMemoryInfo", memory_v1 },
    { "nvmlDeviceGetMemoryInfo_v2", memory_v2 },
    { "nvmlDeviceGetCpuAffinity", cpu_affinity },
    { "nvmlDeviceGetCpuAffinityWithinScope", cpu_affinity_in_scope },
    { NULL, NULL },
};
