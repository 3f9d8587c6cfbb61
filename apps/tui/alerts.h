/*
 * Conditions that someone wants to be told of: on metrics, and on how a device stands. Knows nothing of drawing and keys.
 */
#ifndef TUI_ALERTS_H
#define TUI_ALERTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/snapshot.h>

enum { TUI_ALERT_TEXT_MAX = 96, TUI_ALERT_RULES_MAX = 24, TUI_ALERT_METRICS_MAX = TUI_ALERT_RULES_MAX + 1 };

typedef enum tui_alert_kind {
    TUI_ALERT_METRIC, /**< a metric compared with a number */
    TUI_ALERT_HOT,    /**< near the temperature at which the clocks go down */
    TUI_ALERT_THROTTLED,
    TUI_ALERT_ECC, /**< errors that were not corrected */
    TUI_ALERT_XID,
    TUI_ALERT_LOST,
    TUI_ALERT_STALLED,
    TUI_ALERT_FAILED
} tui_alert_kind;

/** A condition. */
typedef struct tui_alert_rule {
    char text[TUI_ALERT_TEXT_MAX]; /**< as it was typed */
    tui_alert_kind kind;
    nvp_metric metric;
    char comparison[3]; /**< "<", "<=", ">", ">=", "=", "!=" */
    double number;
} tui_alert_rule;

/** A condition that holds for a device. */
typedef struct tui_alert {
    size_t rule;
    unsigned int gpu;
    int mig;
    int64_t since_us;
    double value, acknowledged; /**< what it was when it was acknowledged; NaN: it was not */
    double last_xid;            /**< of XIDs: the number of the last; NaN when it is not known */
    bool is_active;
} tui_alert;

typedef struct tui_alerts {
    tui_alert_rule rules[TUI_ALERT_RULES_MAX];
    size_t rule_count;
    size_t active[TUI_ALERT_RULES_MAX]; /**< records of each condition that hold */
    tui_alert *alerts;
    size_t count, capacity;
    size_t next; /**< where a record is looked for first */
} tui_alerts;

/** The conditions of someone who has chosen none: hot, throttled, ecc, xid, lost, stalled, failed; ended by NULL. */
extern const char *const tui_alert_defaults[];

/**
 * Reads a condition: one of those words, or METRIC, a comparison, and a number or a word of the metric ("temperature.gpu_c>85",
 * "ecc.mode=disabled"). False with one line in `message`.
 */
bool tui_alert_parse(const char *text, tui_alert_rule *rule, char *message, size_t size);

/** Adds a condition; false with a message. */
bool tui_alerts_add(tui_alerts *alerts, const char *text, char *message, size_t size);

/** The metrics that the conditions need: at most `max`, and never more than TUI_ALERT_METRICS_MAX, are written; returns how many. */
size_t tui_alerts_metrics(const tui_alerts *alerts, nvp_metric *metrics, size_t max);

/** Looks at a snapshot, at devices for which `is_shown` says yes; true when something has begun, or has been counted again. */
bool tui_alerts_update(tui_alerts *alerts, const nvp_snapshot *snapshot,
                       bool (*is_shown)(const void *context, const nvp_device_sample *device), const void *context);

/** Forgets what has held; the conditions stay. */
void tui_alerts_forget(tui_alerts *alerts);

/** Acknowledges what is open; false when there is nothing. One that ends and begins again, or is counted again, is open anew. */
bool tui_alerts_acknowledge(tui_alerts *alerts);

/** Whether an alert holds and is not acknowledged. */
bool tui_alert_is_open(const tui_alerts *alerts, const tui_alert *alert);

/** Writes an alert for people: "GPU 3 temperature.gpu_c 91 C (>85) since 12:03:04". */
void tui_alert_format(const tui_alerts *alerts, const tui_alert *alert, char *text, size_t size);

void tui_alerts_free(tui_alerts *alerts);

#endif
