/*
 * A track: a value as a pure function of time, repeating after a period. Movements of a scenario are turned into tracks
 * once; reading one takes no lock and gives the same answer for the same time, whoever asks and however often.
 */
#ifndef NVPSIM_WORLD_TRACK_H
#define NVPSIM_WORLD_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario/scenario.h"

typedef struct nvpsim_track nvpsim_track;

/** What makes the movements of devices differ: the scenario's seed, the device, and a number within it. */
typedef struct nvpsim_track_place {
    uint64_t seed;
    unsigned device;
    unsigned item;
} nvpsim_track_place;

/** A straight line with limits, applied to a value: offset + factor * value, then cut to [low, high]. */
typedef struct nvpsim_line {
    double offset, factor, low, high;
} nvpsim_line;

/** The track of a movement that was given; NULL when out of memory. */
nvpsim_track *nvpsim__track_make(const nvpsim_movement *movement, nvpsim_track_place place);

/** A track that stays at `value`. */
nvpsim_track *nvpsim__track_constant(double value);

/** `source` with a line applied to each of its points. */
nvpsim_track *nvpsim__track_map(const nvpsim_track *source, nvpsim_line line);

/** `source` followed slowly: a first-order low pass, in its steady state. */
nvpsim_track *nvpsim__track_follow(const nvpsim_track *source, double time_constant_ns);

/** Frees a track; NULL is allowed. */
void nvpsim__track_free(nvpsim_track *track);

/** Whether its values were stated as they are: a constant, or a recording. */
bool nvpsim__track_is_exact(const nvpsim_track *track);

/** The largest value that it takes from one time to another, both included, for tracks that are held between points. */
double nvpsim__track_most(const nvpsim_track *track, uint64_t from_ns, uint64_t to_ns);

/** The first time after `after_ns` at which such a track goes from 0 to more; all ones: never. */
uint64_t nvpsim__track_next_rise(const nvpsim_track *track, uint64_t after_ns);

/** The value at a time. */
double nvpsim__track_value(const nvpsim_track *track, uint64_t now_ns);

/** The integral from 0 to a time, in value times seconds; grows with time when no value is negative. */
double nvpsim__track_integral(const nvpsim_track *track, uint64_t now_ns);

#endif
