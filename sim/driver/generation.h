/*
 * Which driver this library simulates. The only part of it that is compiled once for each driver.
 */
#ifndef NVPSIM_DRIVER_GENERATION_H
#define NVPSIM_DRIVER_GENERATION_H

typedef struct nvpsim_generation {
    const char *version; /* "550.163.01" */
    unsigned major;      /* 550 */
    unsigned minor;      /* 163 */
    unsigned cuda;       /* highest CUDA version: 1000 * major + 10 * minor */
} nvpsim_generation;

extern const nvpsim_generation nvpsim__generation;

#endif
