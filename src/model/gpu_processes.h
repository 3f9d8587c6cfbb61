/*
 * Inside of reading the processes of a device: the lists, and the loads. Everything here is called in the job of the device.
 */
#ifndef NVP_MODEL_GPU_PROCESSES_H
#define NVP_MODEL_GPU_PROCESSES_H

#include "model/processes.h"

/** The calls, as bits of nvp__gpu_processes.unsupported. */
enum {
    NVP__NO_COMPUTE_LIST = 1 << 0,
    NVP__NO_GRAPHICS_LIST = 1 << 1,
    NVP__NO_MPS_LIST = 1 << 2,
    NVP__NO_LOADS_WITH_MEDIA = 1 << 3,
    NVP__NO_LOADS = 1 << 4,
    NVP__NO_MEDIA = 1 << 5, /* loads of JPEG and OFA are not told */
    NVP__NO_NAMES = 1 << 6
};

/** Zeroed room for `count` entries of `size` bytes in processes->answer; what was there before is lost. NULL without memory. */
void *nvp__gpu_answer_room(struct nvp__gpu_processes *processes, size_t count, size_t size);

/** The room to try after the driver said that `room` entries are too few and (perhaps) how many there are; 0 when it asks for too many. */
unsigned int nvp__gpu_larger_room(unsigned int room, unsigned int needed);

/** True for an answer that will not change in this session. */
bool nvp__gpu_is_unsupported(nvp_status status);

/**
 * Fills the loads of the list, whose entries have those of the look before, or N/A (no data). Loads that are not to be had are N/A
 * with their reason; nothing else fails.
 */
void nvp__gpu_loads_read(struct nvp__gpu_processes *processes, nvmlDevice_t device);

#endif
