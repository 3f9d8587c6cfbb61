/*
 * Reading of MIG: ways to cut a GPU, and the devices that it is cut into. That these fit together is checked in check.c.
 */
#include "scenario/reader.h"

bool nvpsim__read_mig_profiles(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_device_spec *device = target;
    void *items;
    size_t count;
    if (!nvpsim__read_list(reader, node, sizeof(nvpsim_mig_profile_spec), &items, &count)) {
        return false;
    }
    nvpsim_mig_profile_spec *profiles = items;
    for (size_t i = 0; i < count; i++) {
        size_t before = nvpsim__path_push_index(reader, i);
        yaml_node_t *entry = nvpsim__list_item(reader, node, i);
        if (!nvpsim__read_mapping(reader, entry, &nvpsim__keys_mig_profile, &profiles[i])) {
            return false;
        }
        if (profiles[i].name.state != NVPSIM_GIVEN || profiles[i].memory_bytes.state != NVPSIM_GIVEN) {
            return nvpsim__read_fail(reader, entry, "needs name and memory_bytes");
        }
        if (profiles[i].number.state != NVPSIM_GIVEN) {
            profiles[i].number = (nvpsim_number){ NVPSIM_GIVEN, i };
        }
        nvpsim__path_pop(reader, before);
    }
    device->mig_profiles = profiles;
    device->mig_profile_count = count;
    return true;
}

bool nvpsim__read_mig_devices(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_device_spec *device = target;
    void *items;
    size_t count;
    if (!nvpsim__read_list(reader, node, sizeof(nvpsim_mig_device_spec), &items, &count)) {
        return false;
    }
    nvpsim_mig_device_spec *slices = items;
    for (size_t i = 0; i < count; i++) {
        size_t before = nvpsim__path_push_index(reader, i);
        yaml_node_t *entry = nvpsim__list_item(reader, node, i);
        if (!nvpsim__read_mapping(reader, entry, &nvpsim__keys_mig_device, &slices[i])) {
            return false;
        }
        if (slices[i].profile.state != NVPSIM_GIVEN || slices[i].gpu_instance.state != NVPSIM_GIVEN) {
            return nvpsim__read_fail(reader, entry, "needs profile and gpu_instance");
        }
        if (slices[i].index.state != NVPSIM_GIVEN) {
            slices[i].index = (nvpsim_number){ NVPSIM_GIVEN, i };
        }
        nvpsim__path_pop(reader, before);
    }
    device->mig_devices = slices;
    device->mig_device_count = count;
    return true;
}
