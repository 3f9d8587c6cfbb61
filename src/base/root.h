/*
 * Files of the kernel, /proc and /sys. Tests put a tree of their own in place of the real one: NVPULSE_ROOT names the folder that
 * every path here is looked up in; it is read once, and a privileged process ignores it. Safe from any thread and after fork.
 */
#ifndef NVP_BASE_ROOT_H
#define NVP_BASE_ROOT_H

#include <nvpulse/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** What stands before every path: "" for the real files. Static memory. */
const char *nvp__root(void);

/** Opens an absolute path, as open(2) does; O_CLOEXEC is added. Returns a descriptor, or -1 with errno set. */
int nvp__root_open(int flags, const char *format, ...) NVP_PRINTF(2, 3);

/** True when an absolute path names something that this process can see. */
bool nvp__root_exists(const char *format, ...) NVP_PRINTF(1, 2);

/**
 * Reads a file from its beginning. At most `size` - 1 bytes are kept, a NUL is put behind them whenever `size` > 0. Returns the
 * number of bytes kept, or -1 with errno set; the buffer is "" then.
 */
ssize_t nvp__root_read(char *buffer, size_t size, const char *format, ...) NVP_PRINTF(3, 4);

/** Reads the text of a symbolic link; otherwise as nvp__root_read(). */
ssize_t nvp__root_link(char *buffer, size_t size, const char *format, ...) NVP_PRINTF(3, 4);

/** Reads a descriptor until its end or until `size` - 1 bytes are there; otherwise as nvp__root_read(). Does not close it. */
ssize_t nvp__read_file(int file, char *buffer, size_t size);

#endif
