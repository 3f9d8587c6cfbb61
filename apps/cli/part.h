/*
 * The part of a snapshot that a list of devices names.
 */
#ifndef CLI_PART_H
#define CLI_PART_H

#include <nvpulse/snapshot.h>

#include "pick.h"

/**
 * Makes a snapshot of the devices that a list names, as cli_pick_mark() reads it, with their MIG devices and processes. Devices that were
 * found are in it even when a word of the list names none.
 *
 * @param match    gets what cli_pick_mark() answers
 * @param missing  gets the word that names none, or several; as there
 * Returns NVP_SUCCESS or NVP_ERROR_NO_MEMORY.
 */
nvp_status cli_part(nvp_snapshot *snapshot, const char *ids, nvp_snapshot **part, cli_match *match, const char **missing);

#endif
