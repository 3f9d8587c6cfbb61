/*
 * Repeatable pseudo-random numbers (splitmix64): the same seed gives the same scenario on every machine.
 * Not for secrets.
 */
#ifndef NVPSIM_BASE_RANDOM_H
#define NVPSIM_BASE_RANDOM_H

#include <stdint.h>

/** The next number of the sequence that `state` stands in. */
static inline uint64_t nvpsim__random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/** A number from 0 (included) to 1 (excluded). */
static inline double nvpsim__random_unit(uint64_t *state)
{
    return (double)(nvpsim__random_next(state) >> 11) * 0x1p-53;
}

#endif
