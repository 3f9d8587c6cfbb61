/*
 * Answers about the PCIe link.
 */
#include "driver/serve.h"

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned int *maxLinkGen)
{
    return nvpsim__put_number(maxLinkGen, nvpsim__device_of(device)->spec->pcie_max_gen);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuMaxPcieLinkGeneration(nvmlDevice_t device, unsigned int *maxLinkGenDevice)
{
    return nvpsim__put_number(maxLinkGenDevice, nvpsim__device_of(device)->spec->pcie_max_gen);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned int *maxLinkWidth)
{
    return nvpsim__put_number(maxLinkWidth, nvpsim__device_of(device)->spec->pcie_max_width);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned int *currLinkGen)
{
    return nvpsim__put_number(currLinkGen, nvpsim__device_of(device)->spec->pcie_gen);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned int *currLinkWidth)
{
    return nvpsim__put_number(currLinkWidth, nvpsim__device_of(device)->spec->pcie_width);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPcieReplayCounter(nvmlDevice_t device, unsigned int *value)
{
    return nvpsim__put_number(value, nvpsim__device_of(device)->spec->pcie_replays);
}

/* MB/s of one lane by generation. */
static unsigned lane_mbps(uint64_t generation)
{
    static const unsigned rates[] = { 0, 2500, 5000, 8000, 16000, 32000, 64000 };
    return generation < sizeof rates / sizeof rates[0] ? rates[generation] : 0;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPcieSpeed(nvmlDevice_t device, unsigned int *pcieSpeed)
{
    const nvpsim_number *generation = &nvpsim__device_of(device)->spec->pcie_gen;
    if (!pcieSpeed) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (generation->state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *pcieSpeed = lane_mbps(generation->value);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPcieLinkMaxSpeed(nvmlDevice_t device, unsigned int *maxSpeed)
{
    const nvpsim_number *generation = &nvpsim__device_of(device)->spec->pcie_max_gen;
    if (maxSpeed && generation->state == NVPSIM_GIVEN && generation->value > 6) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return nvpsim__put_number(maxSpeed, *generation); /* NVML_PCIE_LINK_MAX_SPEED_... number the generations */
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPcieThroughput(nvmlDevice_t device, nvmlPcieUtilCounter_t counter, unsigned int *value)
{
    double kbps;
    if (!value || (counter != NVML_PCIE_UTIL_TX_BYTES && counter != NVML_PCIE_UTIL_RX_BYTES)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvpsim_direction direction = counter == NVML_PCIE_UTIL_TX_BYTES ? NVPSIM_TX : NVPSIM_RX;
    if (!nvpsim__device_pcie(nvpsim__device_of(device), direction, nvpsim__now_ns(), &kbps)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *value = (unsigned)kbps;
    return NVML_SUCCESS;
}
