/*
 * Event sets, as the session sees them.
 */
#ifndef NVPSIM_DRIVER_EVENTS_H
#define NVPSIM_DRIVER_EVENTS_H

/** The last shutdown closes every event set. */
void nvpsim__event_sets_close(void);

#endif
