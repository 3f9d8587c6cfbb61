#include "base/condition.h"

#include <time.h>

bool nvp__condition_make(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return false;
    }
    bool made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 && pthread_cond_init(condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return made;
}
