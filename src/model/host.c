/*
 * The machine: its processors, load, memory and uptime, from /proc. A file or a line that is missing is N/A, nothing else.
 */
#include "model/host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nvpulse/driver.h>
#include <nvpulse/snapshot.h>

#include "base/clock.h"
#include "base/root.h"
#include "base/utf8.h"
#include "model/proc.h"
#include "model/reading.h"

#define TEXT_FIRST 16384u
#define TEXT_MAX (1u << 24)

struct nvp__host *nvp__host_new(void)
{
    struct nvp__host *host = calloc(1, sizeof *host);
    if (host != NULL) {
        long ticks = sysconf(_SC_CLK_TCK);
        host->ticks_per_s = ticks > 0 ? (double)ticks : 100;
    }
    return host;
}

void nvp__host_free(struct nvp__host *host)
{
    if (host == NULL) {
        return;
    }
    nvp__host_table_free(host);
    nvp__users_free(&host->users);
    free(host->text);
    free(host);
}

/* A whole file; /proc/stat grows with processors and interrupts. NULL when it cannot be read. */
static const char *read_text(struct nvp__host *host, const char *path)
{
    size_t size = host->text_size == 0 ? TEXT_FIRST : host->text_size;
    for (; size <= TEXT_MAX; size *= 2) {
        if (size > host->text_size) {
            free(host->text);
            host->text = malloc(size);
            host->text_size = host->text != NULL ? size : 0;
        }
        ssize_t length = host->text != NULL ? nvp__root_read(host->text, size, "%s", path) : -1;
        if (length < 0) {
            return NULL;
        }
        if ((size_t)length < size - 1) {
            return host->text;
        }
    }
    return NULL;
}

static unsigned int count_processors(const char *text)
{
    unsigned int count = 0;
    while ((text = strstr(text, "\ncpu")) != NULL) {
        text += 4;
        count += *text >= '0' && *text <= '9';
    }
    return count;
}

/* Time of guests is part of user time. Idle counters have been seen to step back. */
static void read_processors(struct nvp__host *host)
{
    unsigned long long ticks[8] = { 0 };
    const char *text = read_text(host, "/proc/stat");
    if (text == NULL || sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1], &ticks[2], &ticks[3],
                               &ticks[4], &ticks[5], &ticks[6], &ticks[7]) < 4) {
        return;
    }
    uint64_t total = 0, idle = ticks[3] + ticks[4];
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        total += ticks[i];
    }
    if (host->cpu_total > 0 && total > host->cpu_total) {
        double rest = idle > host->cpu_idle ? (double)(idle - host->cpu_idle) : 0;
        double busy = 1 - rest / (double)(total - host->cpu_total);
        host->readings[NVP_HOST_CPU_PERCENT] = nvp__reading_real(busy > 0 ? busy * 100 : 0, host->now_us);
    }
    host->cpu_total = total;
    host->cpu_idle = idle;
    unsigned int count = count_processors(text);
    if (count > 0) {
        host->readings[NVP_HOST_CPU_COUNT] = nvp__reading_uint(count, host->now_us);
    }
    if (!host->has_boot_time) {
        host->has_boot_time = nvp__proc_number(text, "btime", &host->boot_time_s);
    }
}

static void read_load(struct nvp__host *host)
{
    double load[3];
    const char *text = read_text(host, "/proc/loadavg");
    if (text == NULL || sscanf(text, "%lf %lf %lf", &load[0], &load[1], &load[2]) != 3) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        host->readings[NVP_HOST_LOAD_1M + i] = nvp__reading_real(load[i], host->now_us);
    }
}

static void read_memory(struct nvp__host *host)
{
    static const struct {
        const char *key;
        nvp_host_field field;
    } lines[] = { { "MemTotal:", NVP_HOST_MEMORY_TOTAL_BYTES },
                  { "MemAvailable:", NVP_HOST_MEMORY_AVAILABLE_BYTES },
                  { "SwapTotal:", NVP_HOST_SWAP_TOTAL_BYTES },
                  { "SwapFree:", NVP_HOST_SWAP_FREE_BYTES } };
    const char *text = read_text(host, "/proc/meminfo");
    for (size_t i = 0; text != NULL && i < sizeof lines / sizeof *lines; i++) {
        uint64_t kib;
        if (nvp__proc_number(text, lines[i].key, &kib)) {
            host->readings[lines[i].field] = nvp__reading_uint(kib * 1024, host->now_us);
        }
    }
    host->memory_bytes = nvp_reading_uint(&host->readings[NVP_HOST_MEMORY_TOTAL_BYTES], 0);
    host->has_memory = host->memory_bytes > 0;
}

static void read_name(struct nvp__host *host)
{
    char raw[256];
    ssize_t length = nvp__root_read(raw, sizeof raw, "/proc/sys/kernel/hostname");
    length -= length > 0 && raw[length - 1] == '\n';
    if (length > 0) {
        nvp__utf8_clean(raw, (size_t)length, host->name, sizeof host->name);
        host->readings[NVP_HOST_NAME] = nvp__reading_text(host->name, host->now_us);
    }
}

/* The file is read once when that is left to us; what has passed since then the clock tells that it tells. */
static void tell_uptime(struct nvp__host *host, bool paced)
{
    int64_t now_ns = nvp__clock_boot_ns();
    if (!paced || !host->has_uptime) {
        const char *text = read_text(host, "/proc/uptime");
        host->has_uptime = text != NULL && sscanf(text, "%lf", &host->uptime_at_s) == 1;
        host->uptime_read_ns = now_ns;
    }
    host->uptime_s = host->uptime_at_s + (double)(now_ns - host->uptime_read_ns) / NVP__NS_PER_S;
}

/*
 * The files, what they tell, and how often they are read when that is left to us: reading one costs as much as a dozen calls of a driver. The
 * kernel counts load every five seconds.
 */
static const struct {
    void (*read)(struct nvp__host *host);
    nvp_host_field first, last;
    int64_t interval_ns;
} files[NVP__HOST_FILES] = {
    { read_name, NVP_HOST_NAME, NVP_HOST_NAME, 10 * NVP__NS_PER_S },
    { read_processors, NVP_HOST_CPU_COUNT, NVP_HOST_CPU_PERCENT, 2 * NVP__NS_PER_S },
    { read_load, NVP_HOST_LOAD_1M, NVP_HOST_LOAD_15M, 5 * NVP__NS_PER_S },
    { read_memory, NVP_HOST_MEMORY_TOTAL_BYTES, NVP_HOST_SWAP_FREE_BYTES, 2 * NVP__NS_PER_S },
};

/* A simulated driver gives its processes pids that nobody else has, or the pid of the program itself. */
static bool trusts_pids(void)
{
    nvp_driver_info driver = NVP_DRIVER_INFO_INIT;
    return (nvp_driver_get_info(&driver) == NVP_SUCCESS && driver.simulated) || nvp__proc_sees_all_pids();
}

void nvp__host_begin(struct nvp__host *host, bool paced, struct nvp__arena *arena, nvp_reading readings[])
{
    int64_t now_ns = nvp__clock_ns();
    host->look++;
    host->is_paced = paced;
    host->now_us = nvp__wall_us();
    host->trusts_pids = trusts_pids();
    for (size_t i = 0; i < NVP__HOST_FILES; i++) {
        bool is_due = !paced || now_ns >= host->due_ns[i];
        for (nvp_host_field field = files[i].first; is_due && field <= files[i].last; field++) {
            host->readings[field] = nvp__reading_na(NVP_ERROR_NO_DATA);
        }
        if (is_due) {
            files[i].read(host);
            host->due_ns[i] = now_ns + files[i].interval_ns;
        }
    }
    tell_uptime(host, paced);
    readings[NVP_HOST_UPTIME_S] =
        host->has_uptime ? nvp__reading_real(host->uptime_s, host->now_us) : nvp__reading_na(NVP_ERROR_NO_DATA);
    for (size_t i = 0; i < NVP__HOST_FILES; i++) {
        for (nvp_host_field field = files[i].first; field <= files[i].last; field++) {
            readings[field] = nvp__reading_copy(arena, &host->readings[field]);
        }
    }
}

void nvp__host_end(struct nvp__host *host)
{
    nvp__host_table_sweep(host);
}
