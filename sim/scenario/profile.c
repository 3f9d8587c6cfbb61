/*
 * The built-in profiles: their texts are made part of the library when it is built.
 * The first comment line of a profile is its summary.
 */
#include <string.h>

#include "scenario/scenario.h"

#define PROFILE(identifier, name, summary, size) extern const unsigned char nvpsim__profile_##identifier[];
#include "profiles.def"
#undef PROFILE

static const nvpsim_profile profiles[] = {
#define PROFILE(identifier, name, summary, size) { name, summary, nvpsim__profile_##identifier, size },
#include "profiles.def"
#undef PROFILE
};

const nvpsim_profile *nvpsim__profile_at(size_t index)
{
    return index < sizeof profiles / sizeof profiles[0] ? &profiles[index] : NULL;
}

const nvpsim_profile *nvpsim__profile_find(const char *name)
{
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            return &profiles[i];
        }
    }
    return NULL;
}
