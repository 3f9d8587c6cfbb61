/*
 * Event sets, as the session, the clock and the control API see them.
 */
#ifndef NVPSIM_DRIVER_EVENTS_H
#define NVPSIM_DRIVER_EVENTS_H

#include "world/world.h"

/** The last shutdown closes every event set; who waits is told so. */
void nvpsim__event_sets_close(void);

/** A stepped clock has moved: events of the scenario may be due. */
void nvpsim__event_sets_wake(void);

/** Gives an event to every set that registered for it; their number. */
int nvpsim__event_post(const nvpsim_device *device, uint64_t type, uint64_t data);

/** In a forked child: nobody waits here. */
void nvpsim__events_forked(void);

#endif
