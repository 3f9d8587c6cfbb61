/*
 * Reads several field values of each GPU in one driver call. What one of them cannot tell is N/A with its reason; the others are there.
 * usage: batch_fields
 */
#include <stdio.h>
#include <stdlib.h>

#include <nvpulse/nvpulse.h>

static const char *const names[] = { "energy in mJ", "power in mW", "memory temperature in C", "bytes sent over PCIe",
                                     "NVLinks" };

static void print_fields(unsigned int index, nvmlDevice_t gpu)
{
    nvp_field fields[] = {
        NVP_FIELD_OF(NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, 0),
        NVP_FIELD_OF(NVML_FI_DEV_POWER_INSTANT, 0),
        NVP_FIELD_OF(NVML_FI_DEV_MEMORY_TEMP, 0),
        NVP_FIELD_OF(NVML_FI_DEV_PCIE_COUNT_TX_BYTES, 0),
        NVP_FIELD_OF(NVML_FI_DEV_NVLINK_LINK_COUNT, 0),
    };

    nvp_query_fields(gpu, fields, sizeof(fields) / sizeof(fields[0])); /* if all of it fails, each field says why */
    printf("GPU %u\n", index);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        char text[64];
        nvp_value_format(&fields[i].value, text, sizeof(text));
        if (nvp_check(&fields[i].value, NVP_KIND_ANY)) {
            printf("  %-24s %s\n", names[i], text);
        } else {
            printf("  %-24s %s (%s)\n", names[i], text, nvp_reason_text(fields[i].value.reason));
        }
    }
}

int main(void)
{
    unsigned int count = 0;
    nvmlReturn_t status = nvmlDeviceGetCount(&count);

    if (status != NVML_SUCCESS) {
        fprintf(stderr, "%s\n", nvp_status_text((nvp_status)status));
        return EXIT_FAILURE;
    }
    for (unsigned int i = 0; i < count; i++) {
        nvmlDevice_t gpu = NULL;
        if (nvmlDeviceGetHandleByIndex(i, &gpu) == NVML_SUCCESS) {
            print_fields(i, gpu);
        }
    }
    return EXIT_SUCCESS;
}
