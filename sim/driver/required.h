/*
 * Which pointers a function cannot do without, from the table of parameters.
 */
#ifndef NVPSIM_DRIVER_REQUIRED_H
#define NVPSIM_DRIVER_REQUIRED_H

#include "base/function.h"
#include "driver/session.h"

/**
 * For a function without an answer of its own: INVALID_ARGUMENT when a required pointer is in the mask of NULLs, or when
 * its first parameter is a handle other than a device's, of which this driver gives out none; else NOT_SUPPORTED.
 */
nvmlReturn_t nvpsim__required_answer(int function, unsigned null_mask, int is_of_device);

#endif
