/*
 * The list of processes for those who have no NVML function for it: the private table.
 */
#ifndef NVPSIM_DRIVER_PROCESS_LIST_H
#define NVPSIM_DRIVER_PROCESS_LIST_H

#include "driver/serve.h"

/**
 * The processes of one type (NVPSIM_PROCESS_) with their names, as the private table lists them: the newest NVML record that
 * the driver knew when it got that list, then 4096 bytes of name. The handle has been checked.
 */
nvmlReturn_t nvpsim__named_processes(nvmlDevice_t device, unsigned type, unsigned *count, void *rows);

#endif
