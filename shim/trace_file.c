/*
 * The file of a trace: opened at the first line, once more in a child when its name has the pid, and again when the program has closed the
 * descriptor or put something else in its place. No lock: a forked child has nothing to inherit.
 */
#include "trace.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Above what programs count on: they may close or redirect low numbers that they believe to be their own. */
#define LEAST_DESCRIPTOR 200

enum { FILE_CLOSED = -1, FILE_FAILED = -2 };

static char pattern[PATH_MAX]; /* written once, before any call */
static bool has_pid;
static atomic_int file = FILE_CLOSED;
static atomic_int owner;                       /* pid that has opened it */
static _Atomic(uint64_t) device_id, inode;     /* of the file, to know it again */
static atomic_bool begins_line;                /* the last line could not be written as a whole */
static atomic_flag is_told = ATOMIC_FLAG_INIT; /* that lines are lost */

static void tell(const char *path)
{
    if (!atomic_flag_test_and_set(&is_told)) {
        nvp__log(NVP_LOG_WARNING, "shim", "NVPULSE_TRACE: cannot write %s: %s; the program goes on untraced", path,
                 strerror(errno));
    }
}

bool nvpshim__trace_file_begin(const char *path)
{
    if (strlen(path) >= sizeof(pattern)) {
        errno = ENAMETOOLONG;
        tell(path);
        return false;
    }
    memcpy(pattern, path, strlen(path) + 1);
    has_pid = strstr(path, "%p") != NULL;
    return true;
}

/* The name with each %p made this process's pid; false when it is too long. */
static bool name_of(char *name, size_t size)
{
    struct nvp__out out = nvp__out_over(name, size);
    const char *rest = pattern;
    for (const char *place; (place = strstr(rest, "%p")) != NULL; rest = place + 2) {
        nvp__out_bytes(&out, rest, (size_t)(place - rest));
        nvp__out_uint(&out, (uint64_t)getpid());
    }
    nvp__out_text(&out, rest);
    return out.length < size;
}

static int open_file(const char *name)
{
    int opened = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    int high = opened >= 0 ? fcntl(opened, F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR) : -1;
    if (high >= 0) {
        close(opened);
        return high;
    }
    return opened;
}

static int open_anew(int seen)
{
    char name[PATH_MAX];
    struct stat info;
    errno = ENAMETOOLONG;
    int opened = name_of(name, sizeof(name)) ? open_file(name) : -1;
    if (opened < 0 || fstat(opened, &info) != 0) {
        tell(name);
        opened = FILE_FAILED;
    }
    if (opened >= 0) {
        atomic_store(&device_id, (uint64_t)info.st_dev);
        atomic_store(&inode, (uint64_t)info.st_ino);
    }
    atomic_store(&owner, getpid());
    if (!atomic_compare_exchange_strong(&file, &seen, opened)) { /* another thread was first, with the same file */
        if (opened >= 0) {
            close(opened);
        }
        return seen;
    }
    return opened;
}

/* The descriptor, opened if need be; negative when that cannot be. */
static int descriptor(void)
{
    struct stat info;
    int known = atomic_load(&file);
    if (has_pid && known != FILE_CLOSED && atomic_load(&owner) != getpid()) {
        if (known >= 0) {
            close(known); /* the child's copy */
        }
        return open_anew(known);
    }
    if (known == FILE_FAILED) {
        return known;
    }
    bool is_same = known >= 0 && fstat(known, &info) == 0 && (uint64_t)info.st_dev == atomic_load(&device_id) &&
                   (uint64_t)info.st_ino == atomic_load(&inode);
    return is_same ? known : open_anew(known);
}

void nvpshim__trace_file_write(const char *text, size_t length)
{
    int error = errno;
    int to = descriptor();
    if (to >= 0) {
        if (atomic_exchange(&begins_line, false)) { /* the rest of a line that was cut is on a line of its own */
            ssize_t ignored = write(to, "\n", 1);
            (void)ignored;
        }
        ssize_t done;
        do {
            done = write(to, text, length);
        } while (done < 0 && errno == EINTR);
        if (done != (ssize_t)length) {
            errno = done < 0 ? errno : ENOSPC;
            atomic_store(&begins_line, done > 0);
            tell(pattern);
        }
    }
    errno = error; /* the program's own */
}
