/*
 * How far apart the records of a process list are, told by the bytes.
 */
#include "compat/records.h"

#include "base/compiler.h"

#include <string.h>

#define FILLER 0xa5
#define PID_MAX (2u * 4194304) /* Linux gives numbers up to 4194304; a simulator takes those beyond, which are nobody's */

/* Every known record begins with these. */
#define SHORTEST 16

_Static_assert(sizeof(nvmlProcessInfo_v1_t) == SHORTEST && sizeof(nvmlProcessInfo_v2_t) == 24 &&
                   sizeof(nvp_ProcessInfo_v3_t) == 32 && sizeof(nvmlProcessDetail_v1_t) == 32,
               "the known sizes");

static const size_t distances[] = { 16, 24, 32 };

void nvp__records_fill(void *memory, size_t size)
{
    memset(memory, FILLER, size);
}

static size_t written_size(const unsigned char *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == FILLER) {
        size--;
    }
    return size;
}

static unsigned int pid_at(const unsigned char *bytes)
{
    unsigned int pid;
    memcpy(&pid, bytes, sizeof(pid));
    return pid;
}

static bool pid_can_be(unsigned int pid)
{
    return pid > 0 && pid <= PID_MAX;
}

static bool all_can_be(const unsigned char *bytes, unsigned int count, size_t distance)
{
    for (unsigned int i = 0; i < count; i++) {
        if (!pid_can_be(pid_at(bytes + i * distance))) {
            return false;
        }
    }
    return true;
}

/* How well a distance explains the bytes: 0 not at all. */
static int fit(const unsigned char *bytes, size_t written, unsigned int count, unsigned int room, size_t distance)
{
    bool ends_there = written == count * distance;
    bool cleared_before = written == room * distance; /* by a driver that zeroes the whole buffer first */
    bool tail_left_out = written < count * distance && written >= (count - 1) * distance + SHORTEST;
    if (!all_can_be(bytes, count, distance)) {
        return ends_there ? 1 : 0;
    }
    return ends_there ? 4 : cleared_before ? 3 : tail_left_out ? 2 : 0;
}

size_t nvp__records_distance(const void *memory, size_t size, unsigned int count, unsigned int room, size_t expected,
                             bool *proved)
{
    size_t written = written_size(memory, size);
    size_t best = expected;
    int best_fit = 0;
    bool alone = true;
    *proved = false;
    if (count == 0) {
        return expected;
    }
    for (size_t i = 0; i < NVP__COUNT_OF(distances); i++) {
        int how_well = count * distances[i] <= size ? fit(memory, written, count, room, distances[i]) : 0;
        alone = how_well >= 3 && best_fit >= 3 ? false : alone;
        if (how_well > best_fit) {
            best = distances[i];
            best_fit = how_well;
        }
    }
    *proved = best_fit >= 3 && alone && (best == expected || count > 1);
    return best;
}

bool nvp__records_read(const void *memory, size_t distance, unsigned int index, nvmlProcessDetail_v1_t *process)
{
    const unsigned char *at = (const unsigned char *)memory + index * distance;
    size_t size = distance < sizeof(*process) ? distance : sizeof(*process);
    memset(process, 0xff, sizeof(*process));
    memcpy(process, at, size);
    return pid_can_be(process->pid);
}
