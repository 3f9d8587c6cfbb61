/*
 * Paths below the root, and reads that a signal does not cut short.
 */
#include "base/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char root[PATH_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A folder that does not fit would be another one when cut: then nothing is found. */
static void read_environment(void)
{
    const char *named = secure_getenv("NVPULSE_ROOT");
    int length = named == NULL ? 0 : snprintf(root, sizeof root, "%s", named);
    if (length >= (int)sizeof root) {
        snprintf(root, sizeof root, "/dev/null");
    }
}

const char *nvp__root(void)
{
    pthread_once(&once, read_environment);
    return root;
}

NVP_PRINTF(3, 0) static bool put_path(char *path, size_t size, const char *format, va_list arguments)
{
    int before = snprintf(path, size, "%s", nvp__root());
    int length = vsnprintf(path + before, size - (size_t)before, format, arguments);
    if (length < 0 || (size_t)length >= size - (size_t)before) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

NVP_PRINTF(2, 0) static int open_path(int flags, const char *format, va_list arguments)
{
    char path[PATH_MAX + 256];
    return put_path(path, sizeof path, format, arguments) ? open(path, flags | O_CLOEXEC) : -1;
}

int nvp__root_open(int flags, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int file = open_path(flags, format, arguments);
    va_end(arguments);
    return file;
}

bool nvp__root_exists(const char *format, ...)
{
    char path[PATH_MAX + 256];
    va_list arguments;
    va_start(arguments, format);
    bool fits = put_path(path, sizeof path, format, arguments);
    va_end(arguments);
    return fits && access(path, F_OK) == 0;
}

ssize_t nvp__read_file(int file, char *buffer, size_t size)
{
    size_t total = 0;
    ssize_t more = 1;
    while (more > 0 && total + 1 < size) {
        more = read(file, buffer + total, size - 1 - total);
        if (more < 0 && errno == EINTR) {
            more = 1;
            continue;
        }
        total += more > 0 ? (size_t)more : 0;
    }
    if (size > 0) {
        buffer[more < 0 ? 0 : total] = '\0';
    }
    return more < 0 ? -1 : (ssize_t)total;
}

ssize_t nvp__root_read(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int file = open_path(O_RDONLY, format, arguments);
    va_end(arguments);
    if (file < 0) {
        if (size > 0) {
            buffer[0] = '\0';
        }
        return -1;
    }
    ssize_t length = nvp__read_file(file, buffer, size);
    int error = errno;
    close(file);
    errno = error;
    return length;
}

ssize_t nvp__root_link(char *buffer, size_t size, const char *format, ...)
{
    char path[PATH_MAX + 256];
    va_list arguments;
    va_start(arguments, format);
    bool fits = put_path(path, sizeof path, format, arguments);
    va_end(arguments);
    ssize_t length = fits && size > 0 ? readlink(path, buffer, size - 1) : -1;
    if (size > 0) {
        buffer[length < 0 ? 0 : length] = '\0';
    }
    return length;
}
