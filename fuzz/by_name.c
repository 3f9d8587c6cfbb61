/*
 * Any function by name with arguments of any kind and value on the simulated driver: no crash, no leak, and a value that can be read.
 * Input: two bytes choose the function, then come the arguments.
 */
#include "simulator.h"

#include <nvpulse/nvpulse.h>

#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 6
#define DATA_BYTES 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *data;
    size_t size;
};

static uint64_t take(struct input *input, size_t bytes)
{
    uint64_t number = 0;
    bytes = bytes < input->size ? bytes : input->size;
    memcpy(&number, input->data, bytes < sizeof(number) ? bytes : sizeof(number));
    input->data += bytes;
    input->size -= bytes;
    return number;
}

static nvp_arg take_argument(struct input *input, nvmlDevice_t device, char *text, size_t text_size)
{
    size_t bytes;
    switch (take(input, 1) % 7) {
    case 0:
        return nvp_arg_uint(take(input, 4) & 0xff); /* small: a number of milliseconds must not stop the fuzzer */
    case 1:
        return nvp_arg_int((int64_t)take(input, 1) - 128);
    case 2:
        return nvp_arg_handle((void *)(uintptr_t)take(input, 8));
    case 3:
        bytes = take(input, 1) % text_size;
        bytes = bytes < input->size ? bytes : input->size;
        memcpy(text, input->data, bytes);
        text[bytes] = '\0';
        take(input, bytes);
        return nvp_arg_text(text);
    case 4:
        bytes = take(input, 1);
        return nvp_arg_data(input->data, bytes < input->size ? bytes : input->size);
    case 5:
        return nvp_arg_default();
    default:
        return nvp_arg_handle(device);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static nvmlDevice_t device;
    if (device == NULL) {
        char path[PATH_MAX];
        simulator_path(path, sizeof(path));
        setenv("NVPULSE_NVML_PATH", path, 1);
        nvp_log_set(NVP_LOG_OFF, NULL, NULL);
        if (nvmlDeviceGetHandleByIndex(0, &device) != NVML_SUCCESS) {
            abort();
        }
    }
    struct input input = { data, size };
    const nvp_function *function = nvp_function_at(take(&input, 2) % nvp_function_count());
    nvp_arg arguments[ARGUMENTS_MAX];
    char texts[ARGUMENTS_MAX][DATA_BYTES];
    size_t count = 0;
    while (input.size > 0 && count < ARGUMENTS_MAX) {
        arguments[count] = take_argument(&input, device, texts[count], DATA_BYTES);
        count++;
    }
    nvp_value value = NVP_VALUE_INIT;
    char text[512];
    nvp_query(function->name, arguments, count, NULL, &value);
    nvp_value_json(&value, text, sizeof(text));
    nvp_value_format(&value, text, sizeof(text));
    nvp_value_clear(&value);
    return 0;
}
