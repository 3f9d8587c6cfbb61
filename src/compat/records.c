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

static unsigned int rows_that_can_be(const unsigned char *bytes, unsigned int count, size_t distance)
{
    unsigned int rows = 0;
    for (unsigned int i = 0; i < count; i++) {
        rows += pid_can_be(pid_at(bytes + i * distance));
    }
    return rows;
}

static bool all_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

/* How the end of what was written goes with records of a size. */
enum ending { NOT_AT_ALL, BUT_FOR_A_TAIL, EXACTLY };

static enum ending ending_of(const unsigned char *bytes, size_t written, unsigned int count, unsigned int room, size_t distance)
{
    size_t end = count * distance;
    bool cleared_before = written == room * distance && all_zero(bytes + end, written - end); /* the whole buffer, then written */
    if (written == end || cleared_before) {
        return EXACTLY;
    }
    return written < end && written >= end - distance + SHORTEST ? BUT_FOR_A_TAIL : NOT_AT_ALL;
}

/* Of two readings that are as good, the header's, or the shorter record, which claims less. */
size_t nvp__records_distance(const void *memory, size_t size, unsigned int count, unsigned int room, size_t expected,
                             bool *proved)
{
    size_t best = expected;
    unsigned long long best_score = 0;
    bool alone = true;
    *proved = false;
    if (count == 0 || count > room) {
        return expected;
    }
    size_t written = written_size(memory, size);
    for (size_t i = 0; i < NVP__COUNT_OF(distances) && room * distances[i] <= size; i++) {
        enum ending ending = ending_of(memory, written, count, room, distances[i]);
        unsigned long long rows = ending != NOT_AT_ALL ? rows_that_can_be(memory, count, distances[i]) : 0;
        unsigned long long score = 2 * rows + (ending == EXACTLY);
        alone = score == best_score ? false : score > best_score ? true : alone;
        if (score > best_score || (score == best_score && score > 0 && distances[i] == expected)) {
            best = distances[i];
            best_score = score;
        }
    }
    *proved = alone && best_score == 2ull * count + 1 && (best == expected || count > 1);
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
