/*
 * Compiled once for each simulated driver, with its numbers on the command line.
 */
#include "driver/generation.h"

const nvpsim_generation nvpsim__generation = {
    .version = NVPSIM_DRIVER_VERSION,
    .release = NVPSIM_DRIVER_RELEASE,
    .cuda = NVPSIM_DRIVER_CUDA,
};
