/*
 * A driver's answer as a status. The only place where the one becomes the other.
 */
#ifndef NVP_BASE_ANSWER_H
#define NVP_BASE_ANSWER_H

#include <nvpulse/status.h>

#include <limits.h>

/** A number that is no nvmlReturn_t must not look like one of nvpulse's own statuses: it is "unknown error" (999). */
static inline nvp_status nvp__status_of_answer(unsigned int answer)
{
    return answer <= (unsigned int)INT_MAX ? (nvp_status)answer : 999;
}

#endif
