/*
 * How much of the engines each process uses, from the samples that the driver keeps. A driver tells processes that are long gone, several
 * samples for one process, and numbers like 37100 %: only samples of listed processes that are newer than those of the look before and
 * at most 100 % count.
 *
 * The driver tells only processes that used an engine, and it makes samples up to a second apart. So a process without a sample was idle
 * when there are new ones of others, or when there have been none for SILENCE_NS; until then it keeps what is known of it.
 */
#include "model/gpu_processes.h"

#include <stdlib.h>
#include <string.h>

#include "base/answer.h"
#include "base/clock.h"
#include "model/reading.h"

#define ROOM_FIRST 64u
#define TRIES 8
#define SILENCE_NS (2 * NVP__NS_PER_S)
/* So long without news, and a driver's clock that was set back is looked for: its samples would never be newer. */
#define LOOK_BACK_NS (10 * NVP__NS_PER_S)

typedef __typeof__(*((nvmlProcessesUtilizationInfo_t *)NULL)->procUtilArray) use_sample;

struct samples {
    use_sample *list;
    unsigned int count;
};

static nvmlReturn_t ask_with_media(nvmlDevice_t device, uint64_t since_us, unsigned int *count, use_sample *samples)
{
    nvmlProcessesUtilizationInfo_t info = { .version = NVML_STRUCT_VERSION(ProcessesUtilizationInfo, 1),
                                            .processSamplesCount = *count,
                                            .lastSeenTimeStamp = since_us,
                                            .procUtilArray = samples };
    nvmlReturn_t answer = nvp_nvmlDeviceGetProcessesUtilizationInfo(device, &info);
    *count = info.processSamplesCount;
    return answer;
}

/* The entries of this call are smaller: they are widened in place, from the last to the first. */
static nvmlReturn_t ask_plainly(nvmlDevice_t device, uint64_t since_us, unsigned int *count, use_sample *samples)
{
    unsigned int room = *count;
    nvmlProcessUtilizationSample_t *entries = (void *)samples;
    nvmlReturn_t answer = nvp_nvmlDeviceGetProcessUtilization(device, entries, count, since_us);
    unsigned int found = *count < room ? *count : room;
    for (unsigned int i = answer == NVML_SUCCESS ? found : 0; i-- > 0;) {
        nvmlProcessUtilizationSample_t entry;
        memcpy(&entry, (char *)samples + i * sizeof entry, sizeof entry);
        samples[i] = (use_sample){ .timeStamp = entry.timeStamp,
                                   .pid = entry.pid,
                                   .smUtil = entry.smUtil,
                                   .memUtil = entry.memUtil,
                                   .encUtil = entry.encUtil,
                                   .decUtil = entry.decUtil,
                                   .jpgUtil = UINT32_MAX,
                                   .ofaUtil = UINT32_MAX };
    }
    return answer;
}

typedef nvmlReturn_t ask_fn(nvmlDevice_t device, uint64_t since_us, unsigned int *count, use_sample *samples);

static nvp_status ask(struct nvp__gpu_processes *processes, nvmlDevice_t device, uint64_t since_us, ask_fn *call,
                      struct samples *samples)
{
    unsigned int room = processes->sample_room == 0 ? ROOM_FIRST : processes->sample_room;
    for (int i = 0; i < TRIES && room > 0; i++) {
        unsigned int count = room;
        samples->list = nvp__gpu_answer_room(processes, room, sizeof *samples->list);
        if (samples->list == NULL) {
            return NVP_ERROR_NO_MEMORY;
        }
        nvmlReturn_t answer = call(device, since_us, &count, samples->list);
        if (answer == NVML_SUCCESS) {
            processes->sample_room = room;
            samples->count = count < room ? count : room;
            return NVP_SUCCESS;
        }
        if (answer != NVML_ERROR_INSUFFICIENT_SIZE) {
            return answer == NVML_ERROR_NOT_FOUND ? NVP_SUCCESS : nvp__status_of_answer(answer); /* no sample is newer */
        }
        room = nvp__gpu_larger_room(room, count);
    }
    return NVML_ERROR_INSUFFICIENT_SIZE;
}

/* The call that tells more, unless this device has shown that it does not serve it. */
static nvp_status ask_best(struct nvp__gpu_processes *processes, nvmlDevice_t device, uint64_t since_us, struct samples *samples)
{
    nvp_status status = processes->loads_refused;
    if ((processes->unsupported & NVP__NO_LOADS_WITH_MEDIA) == 0) {
        status = ask(processes, device, since_us, ask_with_media, samples);
        if (!nvp__gpu_is_unsupported(status)) {
            return status;
        }
        processes->unsupported |= NVP__NO_LOADS_WITH_MEDIA | NVP__NO_MEDIA;
        processes->loads_refused = status;
    }
    if ((processes->unsupported & NVP__NO_LOADS) == 0) {
        status = ask(processes, device, since_us, ask_plainly, samples);
        if (nvp__gpu_is_unsupported(status)) {
            processes->unsupported |= NVP__NO_LOADS;
            processes->loads_refused = status;
        }
    }
    return status;
}

/* By pid, the newest first. */
static int compare_samples(const void *one, const void *other)
{
    const use_sample *a = one, *b = other;
    int order = (a->pid > b->pid) - (a->pid < b->pid);
    return order != 0 ? order : (a->timeStamp < b->timeStamp) - (a->timeStamp > b->timeStamp);
}

static unsigned int percent_of(const use_sample *sample, size_t load)
{
    const unsigned int percents[NVP__LOAD_COUNT] = { sample->smUtil,  sample->memUtil, sample->encUtil,
                                                     sample->decUtil, sample->jpgUtil, sample->ofaUtil };
    return percents[load];
}

static bool is_plausible(const use_sample *sample)
{
    for (size_t i = 0; i < NVP__LOAD_COUNT; i++) {
        unsigned int percent = percent_of(sample, i);
        if (percent > 100 && percent != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

/* The newest plausible sample of a process; NULL when it has none. */
static const use_sample *find_sample(const struct samples *samples, unsigned int pid)
{
    unsigned int low = 0, high = samples->count;
    while (low < high) {
        unsigned int middle = low + (high - low) / 2;
        bool before = samples->list[middle].pid < pid;
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    for (; low < samples->count && samples->list[low].pid == pid; low++) {
        if (is_plausible(&samples->list[low])) {
            return &samples->list[low];
        }
    }
    return NULL;
}

static nvp_reading reading_of(const struct nvp__gpu_processes *processes, size_t load, unsigned int percent, int64_t read_at_us)
{
    bool is_media = load == NVP__LOAD_JPEG || load == NVP__LOAD_OFA;
    if (is_media && (processes->unsupported & NVP__NO_MEDIA) != 0) {
        return nvp__reading_na(NVML_ERROR_FUNCTION_NOT_FOUND);
    }
    return percent == UINT32_MAX ? nvp__reading_na(NVP_ERROR_SENTINEL) : nvp__reading_uint(percent, read_at_us);
}

static void set_loads(const struct nvp__gpu_processes *processes, struct nvp__gpu_process *process, const use_sample *sample)
{
    for (size_t i = 0; i < NVP__LOAD_COUNT; i++) {
        process->load[i] = reading_of(processes, i, sample != NULL ? percent_of(sample, i) : 0, process->read_at_us);
    }
}

static void set_all(struct nvp__gpu_processes *processes, nvp_reading reading)
{
    for (size_t i = 0; i < processes->count; i++) {
        for (size_t j = 0; j < NVP__LOAD_COUNT; j++) {
            processes->list[i].load[j] = reading;
        }
    }
}

/* The newest time stamp of a plausible sample of a listed process; 0 when there is none. */
static uint64_t newest_of(const struct nvp__gpu_processes *processes, const struct samples *samples)
{
    uint64_t newest = 0;
    for (size_t i = 0; i < processes->count; i++) {
        const use_sample *sample = find_sample(samples, processes->list[i].pid);
        newest = sample != NULL && sample->timeStamp > newest ? sample->timeStamp : newest;
    }
    return newest;
}

static void take_news(struct nvp__gpu_processes *processes, const struct samples *samples)
{
    for (size_t i = 0; i < processes->count; i++) {
        const use_sample *sample = find_sample(samples, processes->list[i].pid);
        bool is_new = sample != NULL && sample->timeStamp > processes->last_sample_us;
        set_loads(processes, &processes->list[i], is_new ? sample : NULL);
    }
}

static void take_silence(struct nvp__gpu_processes *processes, int64_t now_ns)
{
    if (processes->news_at_ns == 0) {
        processes->news_at_ns = now_ns; /* from now on silence tells something */
    } else if (now_ns - processes->news_at_ns > SILENCE_NS) {
        for (size_t i = 0; i < processes->count; i++) {
            set_loads(processes, &processes->list[i], NULL);
        }
    }
}

void nvp__gpu_loads_read(struct nvp__gpu_processes *processes, nvmlDevice_t device)
{
    struct samples samples = { NULL, 0 };
    int64_t now_ns = nvp__clock_ns();
    int64_t quiet_since_ns =
        processes->news_at_ns > processes->looked_back_ns ? processes->news_at_ns : processes->looked_back_ns;
    bool looks_back = processes->last_sample_us > 0 && now_ns - quiet_since_ns > LOOK_BACK_NS;
    if (processes->count == 0) {
        return;
    }
    nvp_status status = ask_best(processes, device, looks_back ? 0 : processes->last_sample_us, &samples);
    if (status != NVP_SUCCESS) {
        set_all(processes, nvp__reading_na(status));
        return;
    }
    if (samples.count > 0) {
        qsort(samples.list, samples.count, sizeof *samples.list, compare_samples);
    }
    uint64_t newest_us = newest_of(processes, &samples);
    if (newest_us > processes->last_sample_us) {
        take_news(processes, &samples);
        processes->last_sample_us = newest_us;
        processes->news_at_ns = now_ns;
        return;
    }
    take_silence(processes, now_ns);
    if (looks_back) {
        processes->looked_back_ns = now_ns;
        processes->last_sample_us = newest_us > 0 ? newest_us : processes->last_sample_us;
    }
}
