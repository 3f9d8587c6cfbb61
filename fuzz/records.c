/*
 * The reader of process records against a driver that writes any bytes in any number at any distance, claims any count and answers
 * any status: nothing is read or written where it may not be, no impossible process comes through, the number of calls is bounded.
 * Input: two bytes say which lists the driver exports; then come calls, each followed by what the driver does in it.
 */
#include "simulator.h"

#include "compat/driver.h"
#include "compat/records.h"

#include <nvpulse/nvpulse.h>

#define CALLS_MAX 16         /* in one input */
#define DRIVER_CALLS_MAX 160 /* for one call: as often as a list may grow, times as often as a query may ask again */
#define PID_MAX (2u * 4194304)
#define FILL 0x77
#define WRITTEN 65536  /* records, at most, lest the driver be what takes the time */
#define LOOKED_AT 4096 /* of a list by name that can have a million */
#define LISTS 9
#define DETAILS LISTS
#define MARKER (LISTS + 1) /* nvmlDeviceGetConfComputeMemSizeInfo, whose presence tells of records of 32 bytes */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef nvmlReturn_t list_fn(nvmlDevice_t device, unsigned int *count, void *infos);

/* What the driver does, byte by byte. */
static const uint8_t *script;
static size_t script_left;
static unsigned int driver_calls;
static nvmlDevice_t device;

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static unsigned int take(void)
{
    unsigned int byte = script_left > 0 ? *script : 0;
    script += script_left > 0;
    script_left -= script_left > 0;
    return byte;
}

/* Mostly small, sometimes any: a million records cost so much time that little else would be tried. */
static unsigned int take_count(void)
{
    unsigned int count = take();
    if (count == 0xff) {
        count = take() | take() << 8 | take() << 16 | take() << 24;
    } else if (count >= 0xf0) {
        count = (count & 0xf) << 8 | take();
    }
    return count;
}

/* Writes records of any length at any distance as far as the memory goes. */
static void write_records(unsigned char *memory, size_t size)
{
    unsigned int manner = take();
    size_t distance = 1 + take() % 72;
    size_t length = take() % (distance + 1);
    unsigned int records = take_count();
    length = length < script_left ? length : script_left;
    if ((manner & 1) != 0) {
        memset(memory, (manner & 2) != 0 ? 0 : 0xa5, size);
    }
    for (size_t i = 0, at = 0; i < records && i < WRITTEN && at + length <= size; i++, at += distance) {
        memcpy(memory + at, script, length);
        if ((manner & 4) != 0 && length >= 4) { /* each a process of its own */
            uint32_t pid = (uint32_t)i + 1;
            memcpy(memory + at, &pid, sizeof(pid));
        }
    }
    script += length;
    script_left -= length;
}

/* The driver's side of every list. It stays within the memory that it may expect: that of records of the size which it has shown. */
static nvmlReturn_t serve(enum nvp__function_index index, size_t declared, unsigned int *count, void *memory)
{
    static const nvmlReturn_t answers[] = { NVML_SUCCESS, NVML_ERROR_INSUFFICIENT_SIZE, NVML_ERROR_NOT_SUPPORTED,
                                            (nvmlReturn_t)-3 };
    bool may_differ = declared == sizeof(nvmlProcessInfo_v2_t);
    size_t shown = may_differ ? nvp__compat_evidence(index) : declared;
    unsigned int answer = take();
    check(++driver_calls <= DRIVER_CALLS_MAX);
    if (count == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (memory != NULL && answer < 0xc0) {
        write_records(memory, *count * (shown != 0 ? shown : NVP__RECORD_ROOM));
    }
    *count = take_count();
    return answers[answer < 0x80 ? 0 : answer % 4];
}

#define SERVE(kind, version, declared)                                                                                           \
    static nvmlReturn_t serve_##kind##version(nvmlDevice_t of, unsigned int *count, void *infos)                                 \
    {                                                                                                                            \
        (void)of;                                                                                                                \
        return serve(NVP_FN_nvmlDeviceGet##kind##RunningProcesses##version, declared, count, infos);                             \
    }
#define SERVE_ALL(kind)                                                                                                          \
    SERVE(kind, , sizeof(nvmlProcessInfo_v1_t))                                                                                  \
    SERVE(kind, _v2, sizeof(nvmlProcessInfo_v2_t))                                                                               \
    SERVE(kind, _v3, sizeof(nvmlProcessInfo_v2_t))
SERVE_ALL(Compute)
SERVE_ALL(Graphics)
SERVE_ALL(MPSCompute)

static nvmlReturn_t serve_details(nvmlDevice_t of, nvmlProcessDetailList_v1_t *list)
{
    (void)of;
    return serve(NVP_FN_nvmlDeviceGetRunningProcessDetailList, sizeof(nvmlProcessDetail_v1_t),
                 list != NULL ? &list->numProcArrayEntries : NULL, list != NULL ? list->procArray : NULL);
}

static nvmlReturn_t serve_marker(void)
{
    return NVML_ERROR_NOT_SUPPORTED;
}

#define ROW(kind, version, record)                                                                                               \
    {                                                                                                                            \
        NVP_FN_nvmlDeviceGet##kind##RunningProcesses##version, "nvmlDeviceGet" #kind "RunningProcesses" #version,                \
            (nvp__any_function)serve_##kind##version, (nvp__any_function)nvp_nvmlDeviceGet##kind##RunningProcesses##version,     \
            sizeof(record)                                                                                                       \
    }
#define ROWS(kind) ROW(kind, , nvmlProcessInfo_v1_t), ROW(kind, _v2, nvmlProcessInfo_v2_t), ROW(kind, _v3, nvmlProcessInfo_v2_t)
static const struct {
    enum nvp__function_index index;
    const char *name;
    nvp__any_function served; /* by the driver */
    nvp__any_function called; /* by a program */
    size_t record;
} rows[] = {
    ROWS(Compute),
    ROWS(Graphics),
    ROWS(MPSCompute),
    [DETAILS] = { NVP_FN_nvmlDeviceGetRunningProcessDetailList, "nvmlDeviceGetRunningProcessDetailList",
                  (nvp__any_function)serve_details, NULL, sizeof(nvmlProcessDetail_v1_t) },
    [MARKER] = { NVP_FN_nvmlDeviceGetConfComputeMemSizeInfo, NULL, (nvp__any_function)serve_marker, NULL, 0 },
};

/* As if a library with these functions had been loaded: what was learned about the one before is forgotten. */
static void export_functions(unsigned int mask)
{
    for (size_t i = 0; i <= MARKER; i++) {
        nvp__any_function function = (mask >> i & 1) != 0 ? rows[i].served : NULL;
        atomic_store(&nvp__exported[rows[i].index], function);
        atomic_store(&nvp__dispatch[rows[i].index], function);
    }
    nvp__compat_bind();
}

/* The driver's own function is called: what it writes is its own affair. */
static bool is_direct(size_t row)
{
    return atomic_load(&nvp__dispatch[rows[row].index]) == rows[row].served;
}

static void check_records(const unsigned char *records, size_t size, unsigned int room, unsigned int count)
{
    check(count <= room);
    for (unsigned int i = 0; i < room; i++) {
        uint32_t pid;
        memcpy(&pid, records + i * size, sizeof(pid));
        check(i < count ? pid > 0 && pid <= PID_MAX : pid == FILL * 0x01010101u);
    }
}

static void call_under_its_name(size_t row)
{
    unsigned int room = take();
    unsigned int count = room;
    size_t size = rows[row].record;
    unsigned char *records = malloc(room * size + (room == 0));
    check(records != NULL);
    memset(records, FILL, room * size + (room == 0));
    bool direct = is_direct(row); /* before, as the call may change it */
    nvmlReturn_t status;
    if (row == DETAILS) {
        nvmlProcessDetailList_v1_t list = { .version = nvmlProcessDetailList_v1, .mode = take() % 4 };
        list.numProcArrayEntries = count;
        list.procArray = room > 0 ? (void *)records : NULL;
        status = nvmlDeviceGetRunningProcessDetailList(device, &list);
        count = list.numProcArrayEntries;
    } else {
        status = ((list_fn *)rows[row].called)(device, &count, room > 0 ? records : NULL);
    }
    if (!direct && room > 0) {
        check_records(records, size, room, status == NVML_SUCCESS ? count : 0);
    }
    free(records);
}

static void check_list_by_name(const nvp_value *list, bool direct)
{
    nvp_value item = NVP_VALUE_INIT;
    nvp_value pid = NVP_VALUE_INIT;
    for (size_t i = 0; i < list->count && i < LOOKED_AT; i++) {
        check(nvp_value_at(list, i, &item) == NVP_SUCCESS && nvp_value_at(&item, 0, &pid) == NVP_SUCCESS);
        check(direct || (pid.kind == NVP_KIND_UINT && pid.as.uint_value > 0 && pid.as.uint_value <= PID_MAX));
    }
}

static void call_by_name(size_t row)
{
    nvp_value value = NVP_VALUE_INIT;
    nvp_value list = NVP_VALUE_INIT;
    char text[256];
    bool direct = is_direct(row);
    check(nvp_query(rows[row].name, NVP_ARGS(nvp_arg_handle(device)), NULL, &value) == NVP_SUCCESS);
    if (value.kind == NVP_KIND_STRUCT) {
        check(nvp_value_field(&value, "procArray", &list) == NVP_SUCCESS);
    }
    const nvp_value *read = value.kind == NVP_KIND_STRUCT ? &list : &value;
    if (read->kind == NVP_KIND_LIST) {
        check_list_by_name(read, direct);
    }
    if (read->kind != NVP_KIND_LIST || read->count <= LOOKED_AT) {
        nvp_value_json(&value, text, sizeof(text));
    }
    nvp_value_clear(&value);
}

static void open_once(void)
{
    char path[PATH_MAX];
    if (device != NULL) {
        return;
    }
    simulator_path(path, sizeof(path));
    setenv("NVPULSE_NVML_PATH", path, 1);
    setenv("NVPULSE_RETRY_MS", "3600000", 1); /* -3 is "unknown error": a driver that goes on with it is opened anew */
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    check(nvmlDeviceGetHandleByIndex(0, &device) == NVML_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    open_once();
    script = data;
    script_left = size;
    unsigned int mask = take();
    export_functions(mask | take() << 8);
    for (int calls = 0; script_left > 0 && calls < CALLS_MAX; calls++) {
        unsigned int how = take();
        size_t row = how % (LISTS + 1);
        driver_calls = 0;
        if (how < 0x80) {
            call_under_its_name(row);
        } else {
            call_by_name(row);
        }
    }
    return 0;
}
