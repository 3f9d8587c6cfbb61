/*
 * What the viewer asks of the operating system about single processes. One file for each system behind it.
 */
#ifndef TUI_OS_H
#define TUI_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tui_os_result {
    TUI_OS_DONE = 0,
    TUI_OS_GONE,   /**< there is no such process any more; also when another one has its pid now */
    TUI_OS_DENIED, /**< the system does not permit it */
    TUI_OS_FAILED  /**< anything else, out of memory included */
} tui_os_result;

/** What a result means, as the end of a sentence that begins with the process. Static memory. */
const char *tui_os_text(tui_os_result result);

/** The parent of a process; 0 when there is none, or no such process. */
uint64_t tui_os_parent_pid(uint64_t pid);

/** Sends a signal to the process with this pid and start time, and to no other one that may have its pid by now. */
tui_os_result tui_os_signal(uint64_t pid, uint64_t start_time_us, int number);

/** Reads the environment of such a process: `*length` bytes, each variable ended by NUL. The caller frees `*text`. */
tui_os_result tui_os_environment(uint64_t pid, uint64_t start_time_us, char **text, size_t *length);

/** An ancestor of a process. */
typedef struct tui_os_parent {
    uint64_t pid;
    char command[160]; /**< its command line, or its name where it has none */
} tui_os_parent;

/** Reads the ancestors of such a process, the nearest first; returns how many, at most `max`. */
size_t tui_os_parents(uint64_t pid, uint64_t start_time_us, tui_os_parent *parents, size_t max);

#endif
