/*
 * Tracks: points in time with a value each, held (constant until the next point) or joined by straight lines.
 * Points are evenly spaced where `step_ns` is set, else each has its own start.
 */
#include "world/track.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/random.h"

/* 64 divides every whole number of milliseconds in nanoseconds, so derived tracks keep the period of their source. */
enum { SINE_POINTS = 64, WALK_POINTS = 128, FOLLOW_POINTS = 64 };

typedef struct point {
    double value;
    double integral; /* from the start of the period to this point */
    uint64_t start_ns;
} point;

struct nvpsim_track {
    uint64_t period_ns;                   /* 0: constant */
    uint64_t step_ns;                     /* 0: the points are not evenly spaced */
    uint64_t shift_ns;                    /* added to the time: phase and spread */
    double step_part;                     /* 1 / step_ns */
    uint64_t step_inverse, count_inverse; /* of 2^64, rounded down */
    double period_integral;
    double shift_integral; /* integral from 0 to shift_ns */
    size_t count;
    bool is_joined;
    bool is_recorded;
    bool holds;    /* the last value stays; else it begins anew after the period */
    bool is_count; /* each period adds what it grew by */
    point points[];
};

static nvpsim_track *track_new(size_t count, uint64_t period_ns, bool is_joined)
{
    nvpsim_track *track = calloc(1, sizeof *track + count * sizeof track->points[0]);
    if (!track) {
        return NULL;
    }
    track->count = count;
    track->period_ns = period_ns;
    track->is_joined = is_joined;
    return track;
}

static uint64_t point_end_ns(const nvpsim_track *track, size_t i)
{
    return i + 1 < track->count ? track->points[i + 1].start_ns : track->period_ns;
}

static double point_next_value(const nvpsim_track *track, size_t i)
{
    if (!track->is_joined || (track->is_count && i + 1 == track->count)) {
        return track->points[i].value;
    }
    return track->points[i + 1 < track->count ? i + 1 : 0].value;
}

/* The last point that has started at an offset into the period. */
static size_t point_at(const nvpsim_track *track, uint64_t offset_ns)
{
    if (track->step_ns != 0) {
        return (size_t)(offset_ns / track->step_ns);
    }
    size_t low = 0, high = track->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (track->points[middle].start_ns > offset_ns) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

static double value_within(const nvpsim_track *track, uint64_t offset_ns)
{
    size_t i = point_at(track, offset_ns);
    double value = track->points[i].value;
    if (!track->is_joined) {
        return value;
    }
    double width_ns = (double)(point_end_ns(track, i) - track->points[i].start_ns);
    double part = (double)(offset_ns - track->points[i].start_ns) / width_ns;
    return value + (point_next_value(track, i) - value) * part;
}

/* Where there was no value, nothing is added up. */
static double summed(double value)
{
    return isnan(value) ? 0 : value;
}

static double integral_within(const nvpsim_track *track, uint64_t offset_ns)
{
    size_t i = point_at(track, offset_ns);
    double seconds = (double)(offset_ns - track->points[i].start_ns) / (double)NVPSIM_NS_PER_S;
    return track->points[i].integral + (summed(track->points[i].value) + summed(value_within(track, offset_ns))) / 2 * seconds;
}

/* To be called when all points stand: evenly spaced ones get their starts, all get their integrals. */
static nvpsim_track *track_finish(nvpsim_track *track, double shift_part)
{
    if (track->step_ns != 0) {
        track->step_part = 1 / (double)track->step_ns;
        track->step_inverse = UINT64_MAX / track->step_ns;
        track->count_inverse = UINT64_MAX / (track->count > 1 ? track->count : 1);
        for (size_t i = 0; i < track->count; i++) {
            track->points[i].start_ns = i * track->step_ns;
        }
    }
    double sum = 0;
    for (size_t i = 0; i < track->count && track->period_ns != 0; i++) {
        track->points[i].integral = sum;
        double seconds = (double)(point_end_ns(track, i) - track->points[i].start_ns) / (double)NVPSIM_NS_PER_S;
        sum += (summed(track->points[i].value) + summed(point_next_value(track, i))) / 2 * seconds;
    }
    track->period_integral = sum;
    if (track->period_ns != 0) {
        track->shift_ns = (uint64_t)(shift_part * (double)track->period_ns) % track->period_ns;
        track->shift_integral = integral_within(track, track->shift_ns);
    }
    return track;
}

nvpsim_track *nvpsim__track_constant(double value)
{
    nvpsim_track *track = track_new(1, 0, false);
    if (track) {
        track->points[0].value = value;
    }
    return track;
}

static nvpsim_track *sine_make(const nvpsim_movement *movement)
{
    uint64_t step_ns = movement->period_ms * NVPSIM_NS_PER_MS / SINE_POINTS;
    nvpsim_track *track = track_new(SINE_POINTS, step_ns * SINE_POINTS, true);
    if (!track) {
        return NULL;
    }
    track->step_ns = step_ns;
    double middle = (movement->high + movement->low) / 2, height = (movement->high - movement->low) / 2;
    for (size_t i = 0; i < SINE_POINTS; i++) {
        track->points[i].value = middle + height * sin(2 * M_PI * (double)i / SINE_POINTS);
    }
    return track;
}

/* High first: a test that starts at time 0 sees the load at once. */
static nvpsim_track *square_make(const nvpsim_movement *movement)
{
    uint64_t period_ns = movement->period_ms * NVPSIM_NS_PER_MS;
    uint64_t high_ns = (uint64_t)(movement->duty * (double)period_ns);
    if (high_ns == 0 || high_ns >= period_ns) {
        return nvpsim__track_constant(high_ns == 0 ? movement->low : movement->high);
    }
    nvpsim_track *track = track_new(2, period_ns, false);
    if (!track) {
        return NULL;
    }
    track->points[0] = (point){ .value = movement->high };
    track->points[1] = (point){ .value = movement->low, .start_ns = high_ns };
    return track;
}

static nvpsim_track *steps_make(const nvpsim_movement *movement)
{
    uint64_t step_ns = movement->period_ms * NVPSIM_NS_PER_MS;
    nvpsim_track *track = track_new(movement->count, step_ns * movement->count, false);
    if (!track) {
        return NULL;
    }
    track->step_ns = step_ns;
    for (size_t i = 0; i < movement->count; i++) {
        track->points[i].value = movement->values[i];
    }
    return track;
}

static double reflect(double value, double low, double high)
{
    if (value > high) {
        value = high - (value - high);
    }
    if (value < low) {
        value = low + (low - value);
    }
    return value > high ? high : value;
}

/* There and back again: so it repeats without a jump. */
static nvpsim_track *walk_make(const nvpsim_movement *movement, uint64_t seed)
{
    enum { COUNT = 2 * (WALK_POINTS - 1) };
    uint64_t step_ns = movement->period_ms * NVPSIM_NS_PER_MS;
    nvpsim_track *track = track_new(COUNT, step_ns * COUNT, true);
    if (!track) {
        return NULL;
    }
    track->step_ns = step_ns;
    uint64_t state = seed;
    double value = movement->low + (movement->high - movement->low) * nvpsim__random_unit(&state);
    for (size_t i = 0; i < WALK_POINTS; i++) {
        track->points[i].value = value;
        if (i > 0 && i < WALK_POINTS - 1) {
            track->points[COUNT - i].value = value;
        }
        value = reflect(value + movement->step * (2 * nvpsim__random_unit(&state) - 1), movement->low, movement->high);
    }
    return track;
}

static nvpsim_track *recorded_make(const nvpsim_movement *movement)
{
    if (movement->count == 1 && !movement->is_count) {
        return nvpsim__track_constant(movement->values[0]);
    }
    nvpsim_track *track = track_new(movement->count, movement->end_ns, movement->is_count);
    if (!track) {
        return NULL;
    }
    track->is_recorded = true;
    track->holds = movement->holds;
    track->is_count = movement->is_count;
    for (size_t i = 0; i < movement->count; i++) {
        track->points[i] = (point){ .value = movement->values[i], .start_ns = movement->times_ns[i] };
    }
    return track_finish(track, 0);
}

nvpsim_track *nvpsim__track_make(const nvpsim_movement *movement, nvpsim_track_place place)
{
    uint64_t state = place.seed ^ movement->seed;
    state = nvpsim__random_next(&state) + place.device;
    state = nvpsim__random_next(&state) + place.item;
    nvpsim_track *track = NULL;
    switch (movement->kind) {
    case NVPSIM_CONSTANT:
        return nvpsim__track_constant(movement->low);
    case NVPSIM_SINE:
        track = sine_make(movement);
        break;
    case NVPSIM_SQUARE:
        track = square_make(movement);
        break;
    case NVPSIM_STEPS:
        track = steps_make(movement);
        break;
    case NVPSIM_WALK:
        track = walk_make(movement, state);
        break;
    case NVPSIM_RECORDED:
        return recorded_make(movement);
    }
    double shift = movement->phase + movement->spread * place.device;
    return track ? track_finish(track, shift - floor(shift)) : NULL;
}

static nvpsim_track *track_copy(const nvpsim_track *source)
{
    nvpsim_track *track = track_new(source->count, source->period_ns, source->is_joined);
    if (!track) {
        return NULL;
    }
    track->step_ns = source->step_ns;
    track->is_recorded = source->is_recorded;
    track->holds = source->holds;
    track->is_count = source->is_count;
    for (size_t i = 0; i < source->count; i++) {
        track->points[i] = source->points[i];
    }
    return track;
}

nvpsim_track *nvpsim__track_map(const nvpsim_track *source, nvpsim_line line)
{
    nvpsim_track *track = track_copy(source);
    if (!track) {
        return NULL;
    }
    for (size_t i = 0; i < track->count; i++) {
        double value = line.offset + line.factor * track->points[i].value;
        track->points[i].value = value < line.low ? line.low : (value > line.high ? line.high : value);
    }
    track_finish(track, 0);
    track->shift_ns = source->shift_ns;
    if (track->period_ns != 0) {
        track->shift_integral = integral_within(track, track->shift_ns);
    }
    return track;
}

nvpsim_track *nvpsim__track_follow(const nvpsim_track *source, double time_constant_ns)
{
    if (source->period_ns == 0) {
        return nvpsim__track_constant(source->points[0].value);
    }
    uint64_t step_ns = source->period_ns / FOLLOW_POINTS;
    if (step_ns == 0) {
        return nvpsim__track_constant(source->period_integral / ((double)source->period_ns / (double)NVPSIM_NS_PER_S));
    }
    nvpsim_track *track = track_new(FOLLOW_POINTS, step_ns * FOLLOW_POINTS, true);
    if (!track) {
        return NULL;
    }
    track->step_ns = step_ns;
    double keep = exp(-(double)step_ns / time_constant_ns), value = 0, decay = 1;
    for (size_t i = 0; i < FOLLOW_POINTS; i++) { /* one period from 0 shows the value that comes back to itself */
        value = keep * value + (1 - keep) * value_within(source, i * step_ns + step_ns / 2);
        decay *= keep;
    }
    value = decay < 1 ? value / (1 - decay) : value_within(source, 0);
    for (size_t i = 0; i < FOLLOW_POINTS; i++) {
        track->points[i].value = value;
        value = keep * value + (1 - keep) * value_within(source, i * step_ns + step_ns / 2);
    }
    track_finish(track, 0);
    track->shift_ns = source->shift_ns % track->period_ns;
    return track;
}

void nvpsim__track_free(nvpsim_track *track)
{
    free(track);
}

bool nvpsim__track_is_exact(const nvpsim_track *track)
{
    return track->period_ns == 0 || track->is_recorded;
}

/* The high half of a product: with an inverse that was rounded down, a quotient that is at most one too small. */
static uint64_t high_product(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

/* The short way for evenly spaced points: this is read far more often than anything else here, so it does not divide. */
static double value_of_step(const nvpsim_track *track, uint64_t time_ns)
{
    uint64_t step = high_product(time_ns, track->step_inverse), rest_ns = time_ns - step * track->step_ns;
    if (rest_ns >= track->step_ns) {
        rest_ns -= track->step_ns;
        step++;
    }
    size_t i = step - high_product(step, track->count_inverse) * track->count;
    i = i >= track->count ? i - track->count : i;
    double value = track->points[i].value;
    if (!track->is_joined) {
        return value;
    }
    return value + (point_next_value(track, i) - value) * ((double)(int64_t)rest_ns * track->step_part);
}

double nvpsim__track_value(const nvpsim_track *track, uint64_t now_ns)
{
    if (track->period_ns == 0) {
        return track->points[0].value;
    }
    if (track->step_ns != 0) {
        return value_of_step(track, now_ns + track->shift_ns);
    }
    uint64_t time_ns = now_ns + track->shift_ns;
    if (track->holds && time_ns >= track->period_ns) {
        return track->points[track->count - 1].value;
    }
    double value = value_within(track, time_ns % track->period_ns);
    if (track->is_count) {
        value += (double)(time_ns / track->period_ns) * (track->points[track->count - 1].value - track->points[0].value);
    }
    return value;
}

double nvpsim__track_integral(const nvpsim_track *track, uint64_t now_ns)
{
    if (track->period_ns == 0) {
        return summed(track->points[0].value) * ((double)now_ns / (double)NVPSIM_NS_PER_S);
    }
    uint64_t time_ns = now_ns + track->shift_ns;
    if (track->holds && time_ns >= track->period_ns) {
        double seconds = (double)(time_ns - track->period_ns) / (double)NVPSIM_NS_PER_S;
        return track->period_integral + seconds * summed(track->points[track->count - 1].value) - track->shift_integral;
    }
    double cycles = (double)(time_ns / track->period_ns);
    return cycles * track->period_integral + integral_within(track, time_ns % track->period_ns) - track->shift_integral;
}

/* How many points begin after one time and up to another; at most all. */
static size_t steps_between(const nvpsim_track *track, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t from = from_ns + track->shift_ns, to = to_ns + track->shift_ns, last_ns = track->period_ns - 1;
    if (track->holds) {
        from = from > last_ns ? last_ns : from;
        to = to > last_ns ? last_ns : to;
    }
    uint64_t cycles = to / track->period_ns - from / track->period_ns;
    if (cycles > 1) {
        return track->count;
    }
    size_t first = point_at(track, from % track->period_ns),
           last = point_at(track, to % track->period_ns) + cycles * track->count;
    return last - first < track->count ? last - first : track->count;
}

double nvpsim__track_most(const nvpsim_track *track, uint64_t from_ns, uint64_t to_ns)
{
    double most = nvpsim__track_value(track, from_ns);
    if (track->period_ns == 0) {
        return most;
    }
    uint64_t first_ns = from_ns + track->shift_ns;
    first_ns = track->holds && first_ns >= track->period_ns ? track->period_ns - 1 : first_ns % track->period_ns;
    size_t first = point_at(track, first_ns);
    size_t steps = steps_between(track, from_ns, to_ns);
    for (size_t i = 1; i <= steps; i++) {
        double value = track->points[(first + i) % track->count].value;
        most = value > most ? value : most;
    }
    return most;
}

uint64_t nvpsim__track_next_rise(const nvpsim_track *track, uint64_t after_ns)
{
    if (track->period_ns == 0 || (track->holds && after_ns >= track->period_ns)) {
        return UINT64_MAX;
    }
    uint64_t offset_ns = (after_ns + track->shift_ns) % track->period_ns, cycle_ns = after_ns - offset_ns;
    size_t first = point_at(track, offset_ns);
    for (size_t i = 1; i <= track->count && !(track->holds && first + i >= track->count); i++) {
        size_t place = (first + i) % track->count;
        double before = track->points[(first + i - 1) % track->count].value;
        if (before == 0 && track->points[place].value > 0) {
            return cycle_ns + (first + i) / track->count * track->period_ns + track->points[place].start_ns;
        }
    }
    return UINT64_MAX;
}
