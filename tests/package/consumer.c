/*
 * A program of someone else's: built against an installed nvpulse, as C and as C++, without anything of the tree.
 * Prints one line for each GPU.
 */
#include <stdio.h>
#include <string.h>

#include <nvpulse/nvpulse.h>

int main(void)
{
    unsigned int count = 0;

    if (strcmp(nvp_version(), NVP_VERSION) != 0) {
        printf("header %s, library %s\n", NVP_VERSION, nvp_version());
        return 1;
    }
    nvmlReturn_t status = nvmlDeviceGetCount(&count);
    if (status != NVML_SUCCESS) {
        printf("%s\n", nvp_status_text((nvp_status)status));
        return 1;
    }
    for (unsigned int index = 0; index < count; index++) {
        nvmlDevice_t device;
        char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
        if (nvmlDeviceGetHandleByIndex(index, &device) != NVML_SUCCESS ||
            nvmlDeviceGetName(device, name, sizeof(name)) != NVML_SUCCESS) {
            return 1;
        }
        nvp_value text = NVP_VALUE_INIT;
        nvp_query("nvmlDeviceGetName", NVP_ARGS(nvp_arg_handle(device)), NULL, &text);
        unsigned int celsius = NVP_QUERY_OR(0u, nvmlDeviceGetTemperature, device, NVML_TEMPERATURE_GPU);
        if (strcmp(nvp_value_text(&text), name) != 0 || celsius == 0) {
            return 1;
        }
        nvp_value_clear(&text);
        printf("%u: %s\n", index, name);
    }
    return 0;
}
