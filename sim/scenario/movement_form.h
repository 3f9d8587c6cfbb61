/*
 * A movement while its mapping is being read. Inside of scenario/ only.
 */
#ifndef NVPSIM_SCENARIO_MOVEMENT_FORM_H
#define NVPSIM_SCENARIO_MOVEMENT_FORM_H

#include "scenario/reader.h"

typedef struct nvpsim_movement_form {
    const nvpsim_key *key; /* the key that moves: its limits and unit */
    double scale;          /* of the file's numbers to the key's unit */
    nvpsim_number kind, period_ms, phase_percent, spread_percent, duty_percent, seed;
    bool has_low, has_high, has_step, has_value;
    double low, high, step, value;
    const double *values;
    size_t count;
} nvpsim_movement_form;

#endif
