/*
 * Answers that never change: names, numbers, addresses, versions of a device.
 */
#include <stdio.h>
#include <string.h>

#include "driver/serve.h"

nvmlReturn_t nvpsim__serve_nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
    const nvpsim_text *own = &nvpsim__device_of(device)->spec->name;
    const nvpsim_slice *slice = nvpsim__slice_of(device);
    const char *whole = own->state == NVPSIM_GIVEN ? own->bytes : "NVIDIA Graphics Device";
    if (!slice) {
        return nvpsim__put_text(name, length, whole);
    }
    char text[160], part[16] = "";
    if (slice->compute_slices < slice->profile->slices.value) {
        snprintf(part, sizeof part, "%uc.", slice->compute_slices);
    }
    snprintf(text, sizeof text, "%s MIG %s%s", whole, part, slice->profile->name.bytes);
    return nvpsim__put_text(name, length, text);
}

/* Until 470 a MIG device was named after its GPU and its instances. */
void nvpsim__uuid_put(nvmlDevice_t handle, char *text)
{
    const nvpsim_device *device = nvpsim__device_of(handle);
    const nvpsim_slice *slice = nvpsim__slice_of(handle);
    if (!slice) {
        snprintf(text, NVPSIM_UUID_SIZE, "%s", device->uuid);
    } else if (nvpsim__driver_since(470, 42, 1)) {
        snprintf(text, NVPSIM_UUID_SIZE, "%s", slice->uuid);
    } else {
        snprintf(text, NVPSIM_UUID_SIZE, "MIG-%s/%u/%u", device->uuid, slice->gpu_instance, slice->compute_instance);
    }
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
    char text[NVPSIM_UUID_SIZE];
    nvpsim__uuid_put(device, text);
    return nvpsim__put_text(uuid, length, text);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned int length)
{
    return nvpsim__put_spec_text(serial, length, nvpsim__device_of(device)->spec->serial);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetBoardPartNumber(nvmlDevice_t device, char *partNumber, unsigned int length)
{
    return nvpsim__put_spec_text(partNumber, length, nvpsim__device_of(device)->spec->board_part_number);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char *version, unsigned int length)
{
    return nvpsim__put_spec_text(version, length, nvpsim__device_of(device)->spec->vbios_version);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetInforomImageVersion(nvmlDevice_t device, char *version, unsigned int length)
{
    return nvpsim__put_spec_text(version, length, nvpsim__device_of(device)->spec->inforom_image);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetInforomVersion(nvmlDevice_t device, nvmlInforomObject_t object, char *version,
                                                       unsigned int length)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    switch (object) {
    case NVML_INFOROM_OEM:
        return nvpsim__put_spec_text(version, length, spec->inforom_oem);
    case NVML_INFOROM_ECC:
        return nvpsim__put_spec_text(version, length, spec->inforom_ecc);
    case NVML_INFOROM_POWER:
        return nvpsim__put_spec_text(version, length, spec->inforom_power);
    default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetInforomConfigurationChecksum(nvmlDevice_t device, unsigned int *checksum)
{
    const nvpsim_text *image = &nvpsim__device_of(device)->spec->inforom_image;
    if (!checksum) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (image->state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    unsigned sum = 0x5a17;
    for (const char *at = image->bytes; *at; at++) {
        sum = sum * 31 + (unsigned char)*at;
    }
    *checksum = sum;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceValidateInforom(nvmlDevice_t device)
{
    return nvpsim__device_of(device)->spec->inforom_image.state == NVPSIM_GIVEN ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
    if (!index) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    const nvpsim_slice *slice = nvpsim__slice_of(device);
    *index = slice ? slice->index : nvpsim__place_of(nvpsim__device_of(device));
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minorNumber)
{
    if (!minorNumber) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *minorNumber = nvpsim__device_of(device)->minor;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t *type)
{
    const nvpsim_number *brand = &nvpsim__device_of(device)->spec->brand;
    if (!type) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *type = brand->state == NVPSIM_GIVEN ? (nvmlBrandType_t)brand->value : NVML_BRAND_UNKNOWN;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *arch)
{
    const nvpsim_number *own = &nvpsim__device_of(device)->spec->architecture;
    if (!arch) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *arch = own->state == NVPSIM_GIVEN ? (nvmlDeviceArchitecture_t)own->value : NVML_DEVICE_ARCH_UNKNOWN;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    if (!major || !minor) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (spec->cuda_major.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *major = (int)spec->cuda_major.value;
    *minor = (int)spec->cuda_minor.value;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned int *numCores)
{
    return nvpsim__put_number(numCores, nvpsim__device_of(device)->spec->cores);
}

/* Without a number in the scenario each device is alone on its board. */
static unsigned board_of(const nvpsim_device *device)
{
    if (device->spec->board_id.state == NVPSIM_GIVEN) {
        return (unsigned)device->spec->board_id.value;
    }
    return device->bus.domain << 16 | device->bus.bus << 8 | device->bus.device;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetBoardId(nvmlDevice_t device, unsigned int *boardId)
{
    if (!boardId) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *boardId = board_of(nvpsim__device_of(device));
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned int *multiGpuBool)
{
    if (!multiGpuBool) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *multiGpuBool = (unsigned)nvpsim__device_of(device)->spec->multi_gpu_board.value;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceOnSameBoard(nvmlDevice_t device1, nvmlDevice_t device2, int *onSameBoard)
{
    const nvpsim_device *second = nvpsim__device_find(device2);
    if (!second || !onSameBoard) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *onSameBoard = board_of(nvpsim__device_of(device1)) == board_of(second);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetModuleId(nvmlDevice_t device, unsigned int *moduleId)
{
    return nvpsim__put_number(moduleId, nvpsim__device_of(device)->spec->module_id);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetIrqNum(nvmlDevice_t device, unsigned int *irqNum)
{
    if (!irqNum) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *irqNum = 120 + nvpsim__device_of(device)->index;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetBusType(nvmlDevice_t device, nvmlBusType_t *type)
{
    (void)device;
    if (!type) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *type = NVML_BUS_TYPE_PCIE;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGspFirmwareVersion(nvmlDevice_t device, char *version)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    if (!version) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (spec->gsp_mode.state != NVPSIM_GIVEN || !spec->gsp_mode.value || spec->gsp_version.state == NVPSIM_NOT_AVAILABLE) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return nvpsim__put_text(version, NVML_GSP_FIRMWARE_VERSION_BUF_SIZE,
                            spec->gsp_version.state == NVPSIM_GIVEN ? spec->gsp_version.bytes : nvpsim__generation.version);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGspFirmwareMode(nvmlDevice_t device, unsigned int *isEnabled, unsigned int *defaultMode)
{
    const nvpsim_number *mode = &nvpsim__device_of(device)->spec->gsp_mode;
    if (!isEnabled || !defaultMode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (mode->state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *isEnabled = *defaultMode = (unsigned)mode->value;
    return NVML_SUCCESS;
}

static unsigned id_of(nvpsim_number number)
{
    return number.state == NVPSIM_GIVEN ? (unsigned)number.value : 0;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!pci) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlPciInfo_t info = { .domain = own->bus.domain,
                           .bus = own->bus.bus,
                           .device = own->bus.device,
                           .pciDeviceId = id_of(own->spec->pci_device_id),
                           .pciSubSystemId = id_of(own->spec->pci_subsystem_id) };
    memcpy(info.busIdLegacy, own->bus_id_legacy, sizeof info.busIdLegacy);
    memcpy(info.busId, own->bus_id, sizeof info.busId);
    *pci = info;
    return NVML_SUCCESS;
}

/* The second form is 52 bytes long, the first 32: no more may be written. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!pci) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvp_PciInfo_v2_t info = { .domain = own->bus.domain,
                              .bus = own->bus.bus,
                              .device = own->bus.device,
                              .pciDeviceId = id_of(own->spec->pci_device_id),
                              .pciSubSystemId = id_of(own->spec->pci_subsystem_id) };
    memcpy(info.busId, own->bus_id_legacy, sizeof info.busId);
    memcpy(pci, &info, sizeof info);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!pci) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvp_PciInfo_v1_t info = {
        .domain = own->bus.domain, .bus = own->bus.bus, .device = own->bus.device, .pciDeviceId = id_of(own->spec->pci_device_id)
    };
    memcpy(info.busId, own->bus_id_legacy, sizeof info.busId);
    memcpy(pci, &info, sizeof info);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPciInfoExt(nvmlDevice_t device, nvmlPciInfoExt_t *pci)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!pci) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (pci->version != nvmlPciInfoExt_v1) {
        return nvpsim__version_mismatch();
    }
    nvmlPciInfoExt_v1_t info = { .version = pci->version,
                                 .domain = own->bus.domain,
                                 .bus = own->bus.bus,
                                 .device = own->bus.device,
                                 .pciDeviceId = id_of(own->spec->pci_device_id),
                                 .pciSubSystemId = id_of(own->spec->pci_subsystem_id),
                                 .baseClass = 3,
                                 .subClass = own->spec->display_mode.value ? 0 : 2 };
    memcpy(info.busId, own->bus_id, sizeof info.busId);
    memcpy(pci, &info, sizeof info);
    return NVML_SUCCESS;
}
