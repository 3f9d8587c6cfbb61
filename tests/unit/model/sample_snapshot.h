/*
 * A snapshot made by hand that has one of everything: what only the library's own parts can make. Comparison of snapshots.
 */
#ifndef NVP_TESTS_UNIT_SAMPLE_SNAPSHOT_H
#define NVP_TESTS_UNIT_SAMPLE_SNAPSHOT_H

#include <nvpulse/snapshot.h>

/** Two devices (one of them MIG and stalled) and two processes. */
nvp_snapshot *sample_snapshot(void);

/** Fails the test unless both say the same in every reading, time and status. */
void assert_same_snapshot(const nvp_snapshot *one, const nvp_snapshot *other);

#endif
