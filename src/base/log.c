/*
 * The log: level from LOGLEVEL, lines to stderr or to the program's sink, and to nvpulse.log at DEBUG.
 * The only place in the library that writes to stderr.
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define LOG_FILE "nvpulse.log"
#define LINE_BYTES 2048

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int least = NVP_LOG_WARNING;
static _Atomic(nvp_log_sink) program_sink; /* published with program_context before it */
static _Atomic(void *) program_context;
static atomic_int file = -1;
static atomic_bool file_tried;

static const struct {
    nvp_log_level level;
    const char *name;
    const char *colour;
} levels[] = {
    { NVP_LOG_DEBUG, "DEBUG", "\033[2m" },          { NVP_LOG_INFO, "INFO", "\033[36m" },
    { NVP_LOG_WARNING, "WARNING", "\033[33m" },     { NVP_LOG_ERROR, "ERROR", "\033[31m" },
    { NVP_LOG_CRITICAL, "CRITICAL", "\033[1;31m" },
};

static void read_environment(void)
{
    const char *text = getenv("LOGLEVEL");
    if (text == NULL) {
        return;
    }
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (strcasecmp(text, levels[i].name) == 0) {
            atomic_store(&least, (int)levels[i].level);
            return;
        }
    }
}

bool nvp__log_wanted(nvp_log_level level)
{
    pthread_once(&once, read_environment);
    return (int)level >= atomic_load_explicit(&least, memory_order_relaxed);
}

void nvp_log_set(nvp_log_level level, nvp_log_sink sink, void *context)
{
    pthread_once(&once, read_environment);
    atomic_store(&program_sink, NULL);
    atomic_store(&program_context, context);
    atomic_store(&program_sink, sink);
    atomic_store(&least, (int)level);
}

nvp_log_level nvp_log_get_level(void)
{
    pthread_once(&once, read_environment);
    return (nvp_log_level)atomic_load(&least);
}

static const char *level_name(nvp_log_level level, const char **colour)
{
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (levels[i].level >= level) {
            *colour = levels[i].colour;
            return levels[i].name;
        }
    }
    *colour = "";
    return "LOG";
}

static void write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, text, length);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return; /* a log that cannot be written has no better place to say so */
        }
        text += done;
        length -= (size_t)done;
    }
}

static bool stderr_has_colour(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && (no_color == NULL || no_color[0] == '\0') && (term == NULL || strcmp(term, "dumb") != 0);
}

static int debug_file(void)
{
    if (atomic_load(&least) > NVP_LOG_DEBUG) {
        return -1;
    }
    if (!atomic_exchange(&file_tried, true)) {
        atomic_store(&file, open(LOG_FILE, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666));
    }
    return atomic_load(&file);
}

static size_t time_stamp(char *buffer, size_t size)
{
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    size_t length = strftime(buffer, size, "%Y-%m-%d %H:%M:%S", &local);
    int more = snprintf(buffer + length, size - length, ",%03ld", now.tv_nsec / 1000000);
    return length + (more > 0 ? (size_t)more : 0);
}

static void write_line(int fd, bool colour, nvp_log_level level, const char *message)
{
    char line[LINE_BYTES + 128];
    char stamp[64];
    const char *paint;
    const char *name = level_name(level, &paint);
    time_stamp(stamp, sizeof(stamp));
    int length = snprintf(line, sizeof(line), "%s[%s]%s %s nvpulse %s\n", colour ? paint : "", name, colour ? "\033[0m" : "",
                          stamp, message);
    if (length < 0) {
        return;
    }
    size_t bytes = (size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1;
    line[bytes - 1] = '\n';
    write_all(fd, line, bytes);
}

/* `coloured` is the same message for a terminal that has colours. */
static void emit(nvp_log_level level, const char *message, const char *coloured)
{
    int saved_errno = errno;
    nvp_log_sink sink = atomic_load(&program_sink);
    if (sink != NULL) {
        sink(level, message, atomic_load(&program_context));
    } else {
        bool colour = stderr_has_colour();
        write_line(STDERR_FILENO, colour, level, colour ? coloured : message);
        int fd = debug_file();
        if (fd >= 0) {
            write_line(fd, false, level, message);
        }
    }
    errno = saved_errno;
}

void nvp__log(nvp_log_level level, const char *subject, const char *format, ...)
{
    if (!nvp__log_wanted(level)) {
        return;
    }
    char message[LINE_BYTES];
    int start = snprintf(message, sizeof(message), "%s: ", subject);
    size_t at = start > 0 && (size_t)start < sizeof(message) ? (size_t)start : 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message + at, sizeof(message) - at, format, arguments);
    va_end(arguments);
    emit(level, message, message);
}

void nvp__log_hint(nvp_log_level level, const char *subject, const char *failure, const char *advice)
{
    if (!nvp__log_wanted(level)) {
        return;
    }
    char message[LINE_BYTES];
    char coloured[LINE_BYTES];
    snprintf(message, sizeof(message), "%s: %s\nHINT: %s", subject, failure, advice);
    snprintf(coloured, sizeof(coloured), "%s: \033[1;31m%s\033[0m\n\033[1;33mHINT:\033[0m %s", subject, failure, advice);
    emit(level, message, coloured);
}
