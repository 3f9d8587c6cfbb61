/*
 * Lines are looked for block by block, and read from the file again when they are wanted: memory grows by one number a line.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording.h"

#define BLOCK_BYTES ((size_t)1 << 18)

/** A line that is longer is no snapshot, whatever it is. */
#define LINE_MAX_BYTES ((uint64_t)256 << 20)

/** So much of a file is looked at for a first snapshot. */
#define FIRST_LINES_MAX 64
#define FIRST_BYTES_MAX ((uint64_t)64 << 20)

struct tui_recording {
    int file;
    uint64_t *begins; /* where lines begin, and behind them where the next one will */
    size_t count, capacity;
    uint64_t looked; /* bytes that were looked at */
    uint64_t size;
    char *block, *line;
    size_t line_capacity;
};

static bool add_line(tui_recording *recording, uint64_t end)
{
    if (recording->count + 2 > recording->capacity) {
        size_t capacity = recording->capacity * 2 + 1024;
        uint64_t *begins = reallocarray(recording->begins, capacity, sizeof *begins);
        if (begins == NULL) {
            return false;
        }
        recording->begins = begins;
        recording->capacity = capacity;
    }
    if (recording->count == 0) {
        recording->begins[0] = 0;
    }
    recording->begins[++recording->count] = end;
    return true;
}

static void look_at_size(tui_recording *recording)
{
    struct stat about;
    if (fstat(recording->file, &about) != 0) {
        return;
    }
    recording->size = (uint64_t)about.st_size;
    if (recording->size < recording->looked) { /* it was cut: nothing that was known is there */
        recording->looked = 0;
        recording->count = 0;
    }
}

bool tui_recording_index(tui_recording *recording)
{
    look_at_size(recording);
    ssize_t got = pread(recording->file, recording->block, BLOCK_BYTES, (off_t)recording->looked);
    if (got <= 0) {
        return false;
    }
    const char *next = recording->block, *end = recording->block + got;
    for (const char *newline; (newline = memchr(next, '\n', (size_t)(end - next))) != NULL; next = newline + 1) {
        uint64_t behind = recording->looked + (uint64_t)(newline + 1 - recording->block);
        if (!add_line(recording, behind)) {
            return false; /* it is tried again with the next change */
        }
    }
    recording->looked += (uint64_t)got;
    return recording->looked < recording->size;
}

size_t tui_recording_count(const tui_recording *recording)
{
    return recording->count;
}

double tui_recording_share(const tui_recording *recording)
{
    return recording->looked >= recording->size ? 1 : (double)recording->looked / (double)recording->size;
}

static bool make_room(tui_recording *recording, size_t length)
{
    if (length > recording->line_capacity) {
        char *line = realloc(recording->line, length);
        if (line == NULL) {
            return false;
        }
        recording->line = line;
        recording->line_capacity = length;
    }
    return true;
}

/* Reads and parses; NULL with a message. */
static nvp_snapshot *read_line(tui_recording *recording, size_t at, char *message, size_t size)
{
    nvp_snapshot *snapshot = NULL;
    snprintf(message, size, "it cannot be read");
    if (at >= recording->count) {
        return NULL;
    }
    uint64_t begin = recording->begins[at], length = recording->begins[at + 1] - begin - 1;
    if (length == 0 || length > LINE_MAX_BYTES || !make_room(recording, (size_t)length)) {
        return NULL;
    }
    for (size_t used = 0; used < length;) {
        ssize_t got = pread(recording->file, recording->line + used, (size_t)length - used, (off_t)(begin + used));
        if (got <= 0) {
            return NULL;
        }
        used += (size_t)got;
    }
    nvp_status status = nvp_snapshot_from_json(recording->line, (size_t)length, &snapshot, message, size);
    if (status == NVP_ERROR_NOT_BUILT) {
        snprintf(message, size, "this libnvpulse was built without a reader of JSON");
    }
    return status == NVP_SUCCESS ? snapshot : NULL;
}

nvp_snapshot *tui_recording_read(tui_recording *recording, size_t at)
{
    char message[160];
    return read_line(recording, at, message, sizeof message);
}

nvp_snapshot *tui_recording_read_ahead(tui_recording *recording, size_t *at)
{
    for (size_t i = *at; i < recording->count; i++) {
        nvp_snapshot *snapshot = tui_recording_read(recording, i);
        if (snapshot != NULL) {
            *at = i;
            return snapshot;
        }
    }
    return NULL;
}

static nvp_snapshot *read_back(tui_recording *recording, size_t *at)
{
    for (size_t i = *at < recording->count ? *at + 1 : recording->count; i-- > 0;) {
        nvp_snapshot *snapshot = tui_recording_read(recording, i);
        if (snapshot != NULL) {
            *at = i;
            return snapshot;
        }
    }
    return NULL;
}

nvp_snapshot *tui_recording_read_near(tui_recording *recording, size_t *at, int step)
{
    nvp_snapshot *(*const first)(tui_recording *, size_t *) = step < 0 ? read_back : tui_recording_read_ahead;
    nvp_snapshot *(*const second)(tui_recording *, size_t *) = step < 0 ? tui_recording_read_ahead : read_back;
    nvp_snapshot *snapshot = first(recording, at);
    return snapshot != NULL ? snapshot : second(recording, at);
}

size_t tui_recording_find(tui_recording *recording, int64_t time_us)
{
    size_t low = 0, high = recording->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2, at = middle;
        nvp_snapshot *snapshot = tui_recording_read_near(recording, &at, 1);
        bool is_later = snapshot != NULL && nvp_snapshot_time_us(snapshot) > time_us;
        nvp_snapshot_free(snapshot);
        if (is_later) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

/* Whether there is a snapshot at its beginning. */
static bool check(tui_recording *recording, const char *path, char *message, size_t size)
{
    char why[160] = "it has no whole line";
    bool has_more = true;
    while (has_more && recording->count < FIRST_LINES_MAX && recording->looked < FIRST_BYTES_MAX) {
        has_more = tui_recording_index(recording);
    }
    for (size_t i = 0; i < recording->count && i < FIRST_LINES_MAX; i++) {
        nvp_snapshot *snapshot = read_line(recording, i, why, sizeof why);
        if (snapshot != NULL) {
            nvp_snapshot_free(snapshot);
            return true;
        }
    }
    snprintf(message, size, "%s is no recording, or has no snapshot yet: %s", path, why);
    return false;
}

tui_recording *tui_recording_open(const char *path, char *message, size_t size)
{
    struct stat about;
    tui_recording *recording = calloc(1, sizeof *recording);
    if (recording == NULL) {
        snprintf(message, size, "out of memory");
        return NULL;
    }
    recording->block = malloc(BLOCK_BYTES);
    recording->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (recording->file < 0 || fstat(recording->file, &about) != 0) {
        snprintf(message, size, "cannot read %s: %s", path, strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        snprintf(message, size, "%s is no file: a recording is wound back and forth", path);
    } else if (recording->block == NULL) {
        snprintf(message, size, "out of memory");
    } else if (check(recording, path, message, size)) {
        return recording;
    }
    tui_recording_close(recording);
    return NULL;
}

void tui_recording_close(tui_recording *recording)
{
    if (recording == NULL) {
        return;
    }
    if (recording->file >= 0) {
        close(recording->file);
    }
    free(recording->begins);
    free(recording->block);
    free(recording->line);
    free(recording);
}
