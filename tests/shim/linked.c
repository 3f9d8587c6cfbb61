/*
 * A program that was linked with the library of a new driver and has all its names bound at its start (-z now): on an old driver it would not
 * even start.
 */
#include <stdio.h>

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

nvmlReturn_t nvmlInit_v2(void);
nvmlReturn_t nvmlShutdown(void);
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length);
nvmlReturn_t nvmlDeviceGetFanSpeedRPM(nvmlDevice_t device, nvmlFanSpeedInfo_t *speed);
nvmlReturn_t nvmlDeviceGetPdi(nvmlDevice_t device, nvmlPdi_t *pdi);

int main(void)
{
    nvmlDevice_t device = NULL;
    nvmlFanSpeedInfo_t speed = { .version = nvmlFanSpeedInfo_v1 };
    nvmlPdi_t pdi = { .version = nvmlPdi_v1 };
    char name[96] = "";
    if (nvmlInit_v2() != NVML_SUCCESS || nvmlDeviceGetHandleByIndex_v2(0, &device) != NVML_SUCCESS ||
        nvmlDeviceGetName(device, name, sizeof name) != NVML_SUCCESS || name[0] == '\0') {
        return 1;
    }
    nvmlReturn_t answers[] = { nvmlDeviceGetFanSpeedRPM(device, &speed), nvmlDeviceGetPdi(device, &pdi) };
    if (answers[0] != NVML_ERROR_FUNCTION_NOT_FOUND || answers[1] != NVML_ERROR_FUNCTION_NOT_FOUND) {
        fprintf(stderr, "answers %d and %d\n", (int)answers[0], (int)answers[1]);
        return 1;
    }
    return nvmlShutdown() == NVML_SUCCESS ? 0 : 1;
}
