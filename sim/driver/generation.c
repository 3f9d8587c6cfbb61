/*
 * Compiled once for each simulated driver, with its numbers on the command line.
 */
#include "driver/generation.h"

const nvpsim_generation nvpsim__generation = {
    .version = NVPSIM_DRIVER_VERSION,
    .major = NVPSIM_DRIVER_MAJOR,
    .minor = NVPSIM_DRIVER_MINOR,
    .cuda = NVPSIM_DRIVER_CUDA,
};
