/*
 * The control file: lines that are added at its end by `nvpulse sim ctl` and applied by every process that simulates under it, from
 * the first line on, so that a process which starts later stands where the others stand. It is never written by a process that
 * only simulates, and must belong to the user and be writable by nobody else: whoever writes it decides what the program sees.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nvpulse/sim.h>

#include "driver/fault.h"
#include "driver/live.h"
#include "driver/session.h"
#include "scenario/change.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT nvpsim_control_fn nvpsim_control;
EXPORT nvpsim_control_create_fn nvpsim_control_create;

enum { SETTINGS = 6, LINE_MAX_BYTES = 256 * 1024 };

/* What a control file says about the simulation that it controls; the names as in NVPULSE_SIM_..., without that. */
static const char *const setting_words[SETTINGS] = { "scenario", "profile", "clock", "replay", "replay_speed", "replay_end" };
static const char *const setting_names[SETTINGS] = {
    "NVPULSE_SIM_SCENARIO", "NVPULSE_SIM_PROFILE",      "NVPULSE_SIM_CLOCK",
    "NVPULSE_SIM_REPLAY",   "NVPULSE_SIM_REPLAY_SPEED", "NVPULSE_SIM_REPLAY_END"
};

static char *given[SETTINGS]; /* of the header, in a process that was started beside the simulation */
static bool has_given;
static char *path;            /* NULL: there is no control file */
static _Atomic int file = -1; /* written under the session lock */
static _Atomic off_t used;    /* what has been applied */
static size_t line_number;

bool nvpsim__journal_is_open(void)
{
    return (atomic_load_explicit(&nvpsim__attention, memory_order_relaxed) & NVPSIM_ATTEND_CONTROL) != 0;
}

const char *nvpsim__journal_setting(const char *name)
{
    for (int i = 0; i < SETTINGS && has_given; i++) {
        if (strcmp(name, setting_names[i]) == 0) {
            return given[i];
        }
    }
    return has_given ? NULL : getenv(name);
}

/* A descriptor of the file, when it can be trusted; -1 with a message. */
static int file_open(const char *name, int flags, char *message)
{
    struct stat about;
    int opened = open(name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (opened < 0) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "control file %.300s: %s", name,
                 errno == ELOOP ? "is a symbolic link" : strerror(errno));
        return -1;
    }
    const char *problem = NULL;
    if (fstat(opened, &about) != 0 || !S_ISREG(about.st_mode)) {
        problem = "is no regular file";
    } else if (about.st_uid != geteuid() && about.st_uid != 0) {
        problem = "belongs to another user";
    } else if (about.st_mode & (S_IWGRP | S_IWOTH)) {
        problem = "can be written by others";
    }
    if (problem) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "control file %.300s: %s", name, problem);
        close(opened);
        return -1;
    }
    return opened;
}

/* Reads from a place to the last end of a line; NULL when there is no whole line or no memory. To be freed. */
static char *lines_read(int from, off_t place, size_t *size)
{
    struct stat about;
    *size = 0;
    if (fstat(from, &about) != 0 || about.st_size <= place) {
        return NULL;
    }
    size_t wanted = (size_t)(about.st_size - place);
    wanted = wanted > LINE_MAX_BYTES ? (size_t)LINE_MAX_BYTES : wanted;
    char *text = malloc(wanted + 1);
    ssize_t got = text ? pread(from, text, wanted, place) : -1;
    while (got > 0 && text[got - 1] != '\n') {
        got--;
    }
    if (got <= 0) {
        free(text);
        return NULL;
    }
    text[got] = '\0';
    *size = (size_t)got;
    return text;
}

/* Wrong lines come only from other hands than ours: they are told and left out. */
static void line_tell(const char *message)
{
    char line[NVPSIM_MESSAGE_SIZE + 300];
    int length = snprintf(line, sizeof line, "nvpulse simulator: %.250s:%zu: left out: %s\n", path, line_number, message);
    ssize_t written = write(STDERR_FILENO, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
    (void)written; /* nobody is left to hear of it */
}

/* Under the session lock. */
static void lines_apply(void)
{
    char message[NVPSIM_MESSAGE_SIZE];
    size_t size;
    for (char *text; (text = lines_read(file, atomic_load(&used), &size)) != NULL; free(text)) {
        for (char *line = text; line < text + size;) {
            size_t length = (size_t)(strchr(line, '\n') - line);
            line_number++;
            if (length > 0 && line[0] != '#' && !nvpsim__live_apply(line, length, message)) {
                line_tell(message);
            }
            line += length + 1;
        }
        atomic_fetch_add(&used, (off_t)size);
    }
}

/* Takes the simulation that a control file is about for this process; false with a message. */
static bool header_take(int from, char *message)
{
    size_t size;
    char *text = lines_read(from, 0, &size);
    nvpsim_scenario nothing = { 0 };
    nvpsim_change change;
    bool ok = text && nvpsim__change_read(&change, &nothing, text, strcspn(text, "\n"), message);
    if (ok && change.kind == NVPSIM_CHANGE_HEADER) {
        for (int i = 0; i < SETTINGS; i++) {
            const char *value = nvpsim__change_setting(&change, setting_words[i]);
            free(given[i]);
            given[i] = value ? strdup(value) : NULL;
        }
        has_given = true;
    }
    if (ok) {
        nvpsim__change_free(&change);
    }
    if (!has_given) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "control file: is none of a simulation");
    }
    free(text);
    return has_given;
}

bool nvpsim__journal_open(char *message)
{
    const char *name = path ? path : getenv("NVPULSE_SIM_CONTROL");
    if (!name || !name[0] || file >= 0) {
        return true;
    }
    int opened = file_open(name, O_RDONLY, message);
    if (opened < 0) {
        return false;
    }
    if (!path) {
        path = strdup(name);
    }
    if (!path || !header_take(opened, message)) {
        close(opened);
        free(path);
        path = NULL;
        return false;
    }
    file = opened;
    return true;
}

void nvpsim__journal_start(void)
{
    if (file >= 0) {
        lines_apply();
        atomic_fetch_or_explicit(&nvpsim__attention, NVPSIM_ATTEND_CONTROL, memory_order_release);
    }
}

void nvpsim__journal_look(void)
{
    struct stat about;
    if (fstat(file, &about) != 0 || about.st_size <= atomic_load_explicit(&used, memory_order_relaxed)) {
        return;
    }
    nvpsim__session_lock();
    lines_apply();
    nvpsim__session_unlock();
}

__attribute__((destructor)) static void journal_stop(void)
{
    atomic_fetch_and_explicit(&nvpsim__attention, ~(unsigned)NVPSIM_ATTEND_CONTROL, memory_order_relaxed);
    for (int i = 0; i < SETTINGS; i++) {
        free(given[i]);
        given[i] = NULL;
    }
    if (file >= 0) {
        close(file);
    }
    file = -1;
    free(path);
    path = NULL;
}

/* Applies a command to this process, and writes it for all others when it is right. */
static bool command_run(int to, size_t count, const char *const *words, char *message)
{
    char *lines = nvpsim__command_lines(count, words, message);
    bool ok = lines != NULL;
    nvpsim__session_lock();
    if (to >= 0) {
        lines_apply(); /* what others have written before */
    }
    for (char *line = lines; ok && *line;) {
        size_t length = strcspn(line, "\n");
        ok = nvpsim__live_apply(line, length, message);
        line += length + 1;
    }
    if (ok && to >= 0) {
        size_t size = strlen(lines);
        ok = write(to, lines, size) == (ssize_t)size;
        atomic_fetch_add(&used, ok ? (off_t)size : 0);
        if (!ok) {
            snprintf(message, NVPSIM_MESSAGE_SIZE, "control file %.300s: %s", path, strerror(errno));
        }
    }
    nvpsim__session_unlock();
    free(lines);
    return ok;
}

/* Makes this process one that simulates under the file, when it does not yet. */
static bool file_join(const char *name, char *message)
{
    if (!path && getenv("NVPULSE_SIM_CONTROL")) {
        nvpsim__world_need();
    }
    if (path) {
        bool is_same = strcmp(path, name) == 0;
        if (!is_same) {
            snprintf(message, NVPSIM_MESSAGE_SIZE, "this process simulates under the control file %.300s", path);
        }
        return is_same;
    }
    if (nvpsim__world) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "this process simulates without a control file");
        return false;
    }
    path = strdup(name);
    if (!path || !nvpsim__world_need()) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%s", path ? nvpsim__world_problem() : "out of memory");
        return false;
    }
    return true;
}

int nvpsim_control(const char *name, size_t count, const char *const *words, char *message, size_t size)
{
    char problem[NVPSIM_MESSAGE_SIZE] = "";
    bool ok = true;
    int to = -1;
    if (!name && nvpsim__world_need()) {
        name = path;
    }
    if (name) {
        to = file_open(name, O_RDWR | O_APPEND, problem);
        ok = to >= 0;
        while (ok && flock(to, LOCK_EX) != 0) {
            ok = errno == EINTR;
        }
        ok = ok && file_join(name, problem);
    } else if (!nvpsim__world) {
        ok = false;
        snprintf(problem, sizeof problem, "%s", nvpsim__world_problem());
    }
    ok = ok && command_run(to, count, words, problem);
    if (to >= 0) {
        close(to);
    }
    if (message && size > 0) {
        snprintf(message, size, "%s", ok ? "" : problem); /* something may have been noted on the way */
    }
    return ok ? 0 : -1;
}

static void quoted_put(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text);
        } else if ((unsigned char)*text < ' ') {
            fprintf(out, "\\x%02x", (unsigned)*text);
        } else {
            fputc(*text, out);
        }
    }
    fputc('"', out);
}

static bool header_write(int to)
{
    int copy = dup(to);
    FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!out) {
        return false;
    }
    fprintf(out, "{control: 1, pid: %d", (int)getpid());
    for (int i = 0; i < SETTINGS; i++) {
        const char *value = getenv(setting_names[i]);
        char *whole = value && (i == 0 || i == 3) ? realpath(value, NULL) : NULL;
        if (value && value[0]) {
            fprintf(out, ", %s: ", setting_words[i]);
            quoted_put(out, whole ? whole : value);
        }
        free(whole);
    }
    fputs("}\n", out);
    return fclose(out) == 0;
}

/* The process that a control file was made for, when that still runs; 0: none. */
static int owner_of(const char *name, char *message)
{
    size_t size;
    int pid = 0, from = file_open(name, O_RDONLY, message);
    char *text = from >= 0 ? lines_read(from, 0, &size) : NULL;
    bool is_ours = text && sscanf(text, "{control: 1, pid: %d", &pid) == 1;
    if (from >= 0 && !is_ours) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "control file %.300s: exists and is something else", name);
    }
    bool is_alive = is_ours && pid > 0 && pid != (int)getpid() && (kill(pid, 0) == 0 || errno != ESRCH);
    if (is_alive) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "control file %.300s: is that of process %d, which runs", name, pid);
    }
    free(text);
    if (from >= 0) {
        close(from);
    }
    return is_ours && !is_alive ? 0 : -1;
}

int nvpsim_control_create(const char *name, char *message, size_t size)
{
    char problem[NVPSIM_MESSAGE_SIZE] = "";
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    int to = open(name, flags, 0600);
    if (to < 0 && errno == EEXIST) {
        if (owner_of(name, problem) == 0) { /* left over from one that has ended */
            unlink(name);
            to = open(name, flags, 0600);
        }
    }
    if (to < 0 && !problem[0]) {
        snprintf(problem, sizeof problem, "control file %.300s: %s", name, strerror(errno));
    }
    bool ok = to >= 0 && header_write(to);
    if (to >= 0) {
        close(to);
    }
    if (message && size > 0) {
        snprintf(message, size, "%s", ok ? "" : problem); /* something may have been noted on the way */
    }
    return ok ? 0 : -1;
}
