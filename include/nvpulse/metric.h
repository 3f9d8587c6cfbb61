/*
 * The metrics of a device: what each one is called, its unit, and how its value is kept.
 * One table in the library is behind status, query, JSON, the exporter and the viewer. Nothing here calls NVML; all memory is static;
 * everything is safe from any thread and after fork.
 */
#ifndef NVPULSE_METRIC_H
#define NVPULSE_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/metric_ids.h>
#include <nvpulse/status.h>
#include <nvpulse/value.h>

NVP_BEGIN_DECLS

/** What a number means over time. */
typedef enum nvp_metric_kind {
    NVP_METRIC_GAUGE = 0, /**< goes up and down */
    NVP_METRIC_COUNTER,   /**< only grows, until a reset */
    NVP_METRIC_STATE,     /**< one of a few states, or a mask of them */
    NVP_METRIC_LABEL      /**< text, or a number that names something */
} nvp_metric_kind;

/** How often a metric is worth its price when samples are taken one after the other. */
typedef enum nvp_tier {
    NVP_TIER_STATIC = 0, /**< once in each generation of NVML */
    NVP_TIER_HOT,        /**< in every sample */
    NVP_TIER_WARM,       /**< every two seconds */
    NVP_TIER_SLOW,       /**< every ten seconds */
    NVP_TIER_COSTLY      /**< only when asked for by name: it costs milliseconds, or holds resources of the driver */
} nvp_tier;

/** One metric. */
typedef struct nvp_metric_info {
    nvp_metric metric;
    const char *name;  /**< stable, with its unit, such as "power.draw_mw" */
    const char *group; /**< subject, such as "power" */
    nvp_metric_kind kind;
    nvp_tier tier;
    const char *unit; /**< of the number as it is kept: "%", "MiB", "mW", "MHz", "C", "bytes", ...; "" for none */
    bool is_list;     /**< a value for each fan, link, ...; see NVP_KIND_LIST of nvp_reading */

    const char *smi_name;  /**< names in nvidia-smi's --query-gpu, the usual one first, joined by '|'; "" for none */
    const char *smi_unit;  /**< unit behind the number there; "" for none */
    double smi_divisor;    /**< the kept number divided by this is what is shown there and to people */
    unsigned smi_decimals; /**< digits behind the point there */

    const char *prometheus_name; /**< in base units, such as "nvpulse_power_draw_watts"; "" when it is a label */
    double prometheus_factor;    /**< the kept number times this is in the unit of that name */

    const char *help; /**< one sentence, without a full stop */
} nvp_metric_info;

/** The number of metrics that the loaded library knows; NVP_METRIC_COUNT is that of the header. */
NVP_API size_t nvp_metric_count(void);

/** The metric with this number; NULL when there is none. */
NVP_API const nvp_metric_info *nvp_metric_get(nvp_metric metric);

/** The metric with this name ("power.draw_mw"); NULL when there is none. */
NVP_API const nvp_metric_info *nvp_metric_find(const char *name);

/** The metric behind one of nvidia-smi's names ("power.draw"); NULL when there is none. */
NVP_API const nvp_metric_info *nvp_metric_find_smi(const char *smi_name);

/** The word for a number of a state, such as "enabled"; NULL when the metric has no words or the number is not known. */
NVP_API const char *nvp_metric_word(nvp_metric metric, uint64_t number);

/** As nvp_metric_word(), as nvidia-smi writes it, such as "Enabled". */
NVP_API const char *nvp_metric_smi_word(nvp_metric metric, uint64_t number);

/** The number that a word of nvp_metric_word() stands for; false when it is none. */
NVP_API bool nvp_metric_word_number(nvp_metric metric, const char *word, uint64_t *number);

/**
 * One value of a metric or of a process field, or N/A with its reason. Read-only, owned by what it was read from (a snapshot);
 * texts and items live as long as that.
 */
typedef struct nvp_reading {
    nvp_kind kind;     /**< NVP_KIND_NA, UINT, INT, REAL, TEXT or LIST */
    nvp_reason reason; /**< why it is N/A; NVP_REASON_NONE otherwise */
    nvp_status status; /**< what is behind the reason */
    uint32_t count;    /**< items of a LIST */
    union {
        uint64_t uint_value;
        int64_t int_value;
        double real_value;
        const char *text;                /**< valid UTF-8 */
        const struct nvp_reading *items; /**< of a LIST; each a number, a text or N/A */
    } as;
    int64_t read_at_us; /**< when the driver was asked, in microseconds since 1970; 0 when it never was */
} nvp_reading;

/** Tells a value from N/A. False for NULL. */
static inline bool nvp_reading_has(const nvp_reading *reading)
{
    return reading != NULL && reading->kind != NVP_KIND_NA;
}

/** A number as a double, whatever its kind; `otherwise` when it is not a number. NULL is allowed. */
NVP_API double nvp_reading_number(const nvp_reading *reading, double otherwise);

/** An unsigned number; `otherwise` for every other kind and for negative numbers. NULL is allowed. */
NVP_API uint64_t nvp_reading_uint(const nvp_reading *reading, uint64_t otherwise);

/** The text of a TEXT reading; `otherwise` for every other kind. NULL is allowed. */
NVP_API const char *nvp_reading_text(const nvp_reading *reading, const char *otherwise);

/**
 * Writes a reading of `metric` for people, with its unit: "312.50 W", "45 %", "Enabled", "N/A"; an unknown number of a state is
 * "unknown (7)"; items are joined by ", ". NUL-terminated whenever `size` > 0. Returns the length of the whole text.
 */
NVP_API size_t nvp_metric_format(nvp_metric metric, const nvp_reading *reading, char *buffer, size_t size);

NVP_END_DECLS

#endif
