/*
 * The private table of functions that nvidia-smi asks for, by an id, beside NVML's own functions.
 */
#ifndef NVPSIM_DRIVER_PRIVATE_TABLE_H
#define NVPSIM_DRIVER_PRIVATE_TABLE_H

#include <nvpulse/nvml.h>

enum { NVPSIM_TABLE_ID_SIZE = 16 };

/**
 * Puts the table with this id of NVPSIM_TABLE_ID_SIZE bytes into *table. INVALID_ARGUMENT for NULL, and for an id that is not
 * known, with NULL in *table: as real libraries answer.
 */
nvmlReturn_t nvpsim__private_table(const void **table, const void *id);

#endif
