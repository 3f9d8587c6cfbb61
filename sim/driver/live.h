/*
 * Live control: changes of a running simulation, from a control file that is looked at in each call, or from within the process.
 */
#ifndef NVPSIM_DRIVER_LIVE_H
#define NVPSIM_DRIVER_LIVE_H

#include <stdbool.h>
#include <stddef.h>

/** Applies one line to the world. Under the session lock. False with one line in `message`; then nothing has changed. */
bool nvpsim__live_apply(const char *line, size_t size, char *message);

/**
 * Opens the control file that the environment names, if it names one; what it says about the simulation then counts in place of the
 * environment. Under the session lock, before the world is built. False with one line in `message` when the file is wrong.
 */
bool nvpsim__journal_open(char *message);

/** Applies what stands in the file, and lets calls look at it from now on. Under the session lock, when the world has been built. */
void nvpsim__journal_start(void);

/** Applies what was added to the control file since. Takes the session lock, when there is anything. */
void nvpsim__journal_look(void);

/** Whether there is a control file; relaxed. */
bool nvpsim__journal_is_open(void);

/** What the header of the control file says in place of an environment variable, for a process that was not started by it. */
const char *nvpsim__journal_setting(const char *name);

/** Turns the words of `nvpulse sim ctl` into lines of a control file; NULL with one line in `message`. To be freed. */
char *nvpsim__command_lines(size_t count, const char *const *words, char *message);

#endif
