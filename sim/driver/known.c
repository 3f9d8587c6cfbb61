/*
 * What drivers learned over time: numbers that they accept and errors that they name. Holds facts by release, no behaviour.
 */
#include "driver/generation.h"

/* The count from a release on, oldest first; 0 before the first row. */
static const struct step {
    nvpsim_known what;
    unsigned since, count;
} steps[] = {
    { NVPSIM_KNOWN_CLOCK_TYPES, 0, 3 },
    { NVPSIM_KNOWN_CLOCK_TYPES, NVPSIM_RELEASE(375, 20, 0), 4 },
    { NVPSIM_KNOWN_INFOROM_OBJECTS, 0, 3 },
    { NVPSIM_KNOWN_INFOROM_OBJECTS, NVPSIM_RELEASE(570, 86, 16), 4 },
    { NVPSIM_KNOWN_MEMORY_LOCATIONS, 0, 5 },
    { NVPSIM_KNOWN_MEMORY_LOCATIONS, NVPSIM_RELEASE(375, 20, 0), 7 },
    { NVPSIM_KNOWN_MEMORY_LOCATIONS, NVPSIM_RELEASE(410, 104, 0), 8 },
    { NVPSIM_KNOWN_SAMPLING_TYPES, 0, 7 },
    { NVPSIM_KNOWN_SAMPLING_TYPES, NVPSIM_RELEASE(535, 43, 2), 8 },
    { NVPSIM_KNOWN_SAMPLING_TYPES, NVPSIM_RELEASE(550, 40, 7), 10 },
    { NVPSIM_KNOWN_PERF_POLICIES, 0, 2 },
    { NVPSIM_KNOWN_PERF_POLICIES, NVPSIM_RELEASE(375, 20, 0), 12 },
    { NVPSIM_KNOWN_THRESHOLDS, 0, 2 },
    { NVPSIM_KNOWN_THRESHOLDS, NVPSIM_RELEASE(390, 0, 0), 4 },
    { NVPSIM_KNOWN_THRESHOLDS, NVPSIM_RELEASE(460, 27, 4), 7 },
    { NVPSIM_KNOWN_THRESHOLDS, NVPSIM_RELEASE(535, 179, 0), 8 },
    { NVPSIM_KNOWN_NVLINKS, NVPSIM_RELEASE(375, 20, 0), 4 },
    { NVPSIM_KNOWN_NVLINKS, NVPSIM_RELEASE(384, 47, 0), 6 },
    { NVPSIM_KNOWN_NVLINKS, NVPSIM_RELEASE(450, 51, 0), 12 },
    { NVPSIM_KNOWN_NVLINKS, NVPSIM_RELEASE(520, 56, 6), 18 },
    { NVPSIM_KNOWN_NVLINKS, NVPSIM_RELEASE(610, 43, 2), 36 },
    { NVPSIM_KNOWN_NVLINK_ERRORS, NVPSIM_RELEASE(375, 20, 0), 4 },
    { NVPSIM_KNOWN_NVLINK_ERRORS, NVPSIM_RELEASE(460, 73, 1), 5 },
    { NVPSIM_KNOWN_GPM_METRICS, NVPSIM_RELEASE(520, 56, 6), 98 },
    { NVPSIM_KNOWN_GPM_METRICS, NVPSIM_RELEASE(575, 51, 2), 210 },
    { NVPSIM_KNOWN_GPM_METRICS, NVPSIM_RELEASE(595, 45, 4), 333 },
    { NVPSIM_KNOWN_GPU_INSTANCE_PROFILES, NVPSIM_RELEASE(450, 51, 0), 5 },
    { NVPSIM_KNOWN_GPU_INSTANCE_PROFILES, NVPSIM_RELEASE(450, 66, 0), 6 },
    { NVPSIM_KNOWN_GPU_INSTANCE_PROFILES, NVPSIM_RELEASE(460, 56, 0), 7 },
    { NVPSIM_KNOWN_GPU_INSTANCE_PROFILES, NVPSIM_RELEASE(470, 42, 1), 8 },
    { NVPSIM_KNOWN_GPU_INSTANCE_PROFILES, NVPSIM_RELEASE(525, 53, 0), 10 },
    { NVPSIM_KNOWN_GPU_INSTANCE_PROFILES, NVPSIM_RELEASE(570, 86, 16), 13 },
    { NVPSIM_KNOWN_GPU_INSTANCE_PROFILES, NVPSIM_RELEASE(570, 169, 0), 17 },
    { NVPSIM_KNOWN_GPU_INSTANCE_PROFILES, NVPSIM_RELEASE(595, 58, 3), 18 },
    { NVPSIM_KNOWN_COMPUTE_INSTANCE_PROFILES, NVPSIM_RELEASE(450, 51, 0), 5 },
    { NVPSIM_KNOWN_COMPUTE_INSTANCE_PROFILES, NVPSIM_RELEASE(450, 66, 0), 6 },
    { NVPSIM_KNOWN_COMPUTE_INSTANCE_PROFILES, NVPSIM_RELEASE(460, 56, 0), 7 },
    { NVPSIM_KNOWN_COMPUTE_INSTANCE_PROFILES, NVPSIM_RELEASE(525, 53, 0), 8 },
    { NVPSIM_KNOWN_COMPUTE_INSTANCE_PROFILES, NVPSIM_RELEASE(610, 43, 2), 9 },
};

unsigned nvpsim__driver_known[NVPSIM_KNOWN_THINGS];

__attribute__((constructor)) static void known_make(void)
{
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (nvpsim__generation.release >= steps[i].since) {
            nvpsim__driver_known[steps[i].what] = steps[i].count;
        }
    }
}

bool nvpsim__driver_knows_error(int code)
{
    static const struct {
        int code;
        unsigned first_major; /* of the driver that first has a text */
    } later[] = { { 17, 390 }, { 18, 390 }, { 19, 418 }, { 20, 390 }, { 21, 525 }, { 22, 525 }, { 23, 450 },
                  { 24, 470 }, { 25, 525 }, { 26, 525 }, { 27, 535 }, { 28, 550 }, { 29, 550 }, { 30, 580 } };
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        if (later[i].code == code) {
            return nvpsim__driver_since(later[i].first_major, 0, 0);
        }
    }
    return true;
}
