/*
 * Functions that were asked for and are missing: reported once by name, remembered, bounded.
 */
#ifndef NVP_QUERY_UNKNOWN_H
#define NVP_QUERY_UNKNOWN_H

/** Notes that the driver lacks `name`, or that nobody knows it. The first time it is logged with advice. Safe from any thread. */
void nvp__unknown_note(const char *name);

#endif
