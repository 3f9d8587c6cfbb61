/*
 * There is one record for each condition and device that ever held; it is used again. N/A fits no condition.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <text/slowdown.h>

#include "alerts.h"

/** So many degrees below the threshold count as hot; without a threshold it is this. */
#define HOT_MARGIN_C 3
#define HOT_C 90

const char *const tui_alert_defaults[] = { "hot", "throttled", "ecc", "xid", "lost", "stalled", "failed", NULL };

/** The words, and the metrics that they look at. */
static const struct {
    const char *word;
    tui_alert_kind kind;
    nvp_metric metric;
    bool has_metric;
} words[] = {
    { "hot", TUI_ALERT_HOT, NVP_METRIC_TEMPERATURE_GPU_C, true },
    { "throttled", TUI_ALERT_THROTTLED, NVP_METRIC_CLOCKS_EVENT_REASONS, true },
    { "ecc", TUI_ALERT_ECC, NVP_METRIC_ECC_UNCORRECTED_VOLATILE, true },
    { "xid", TUI_ALERT_XID, NVP_METRIC_EVENT_XID_COUNT, true },
    { "lost", TUI_ALERT_LOST, 0, false },
    { "stalled", TUI_ALERT_STALLED, 0, false },
    { "failed", TUI_ALERT_FAILED, 0, false },
};

static bool parse_word(const char *text, tui_alert_rule *rule)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i].word) == 0) {
            rule->kind = words[i].kind;
            rule->metric = words[i].metric;
            return true;
        }
    }
    return false;
}

static bool parse_number(const char *text, tui_alert_rule *rule)
{
    uint64_t number;
    char *end;
    if (nvp_metric_word_number(rule->metric, text, &number)) {
        rule->number = (double)number;
        return true;
    }
    rule->number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(rule->number);
}

bool tui_alert_parse(const char *text, tui_alert_rule *rule, char *message, size_t size)
{
    char name[TUI_ALERT_TEXT_MAX];
    *rule = (tui_alert_rule){ .kind = TUI_ALERT_METRIC };
    snprintf(rule->text, sizeof rule->text, "%s", text);
    size_t length = strcspn(text, "<>=!"), signs = strspn(text + length, "<>=!");
    if (strlen(text) >= sizeof name) {
        snprintf(message, size, "a condition has at most %zu bytes", sizeof name - 1);
        return false;
    }
    if (parse_word(text, rule)) {
        return true;
    }
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const nvp_metric_info *metric = nvp_metric_find(name) != NULL ? nvp_metric_find(name) : nvp_metric_find_smi(name);
    if (metric == NULL) {
        snprintf(message, size, "there is no metric '%s'", name);
        return false;
    }
    snprintf(rule->comparison, sizeof rule->comparison, "%.*s", (int)signs, text + length);
    rule->metric = metric->metric;
    bool is_known =
        signs == 1 ? rule->comparison[0] != '!' : signs == 2 && rule->comparison[1] == '=' && rule->comparison[0] != '=';
    if (!is_known || !parse_number(text + length + signs, rule)) {
        snprintf(message, size, "'%s' is no condition: METRIC, one of < <= > >= = !=, and a number", text);
        return false;
    }
    return true;
}

bool tui_alerts_add(tui_alerts *alerts, const char *text, char *message, size_t size)
{
    if (alerts->rule_count == TUI_ALERT_RULES_MAX) {
        snprintf(message, size, "there are more than %d conditions", TUI_ALERT_RULES_MAX);
        return false;
    }
    if (!tui_alert_parse(text, &alerts->rules[alerts->rule_count], message, size)) {
        return false;
    }
    alerts->rule_count++;
    return true;
}

static bool has_metric(const tui_alert_rule *rule)
{
    return rule->kind < TUI_ALERT_LOST;
}

size_t tui_alerts_metrics(const tui_alerts *alerts, nvp_metric *metrics, size_t max)
{
    size_t count = 0;
    bool has_xid = false;
    for (size_t i = 0; i < alerts->rule_count && count < max; i++) {
        if (has_metric(&alerts->rules[i])) {
            metrics[count++] = alerts->rules[i].metric;
            has_xid = has_xid || alerts->rules[i].kind == TUI_ALERT_XID;
        }
    }
    if (has_xid && count < max) { /* which one it was */
        metrics[count++] = NVP_METRIC_EVENT_LAST_XID;
    }
    return count;
}

static bool compare(const tui_alert_rule *rule, double value)
{
    bool or_equal = rule->comparison[1] == '=';
    switch (rule->comparison[0]) {
    case '<':
        return or_equal ? value <= rule->number : value < rule->number;
    case '>':
        return or_equal ? value >= rule->number : value > rule->number;
    case '=':
        return fabs(value - rule->number) < 1e-9;
    default:
        return fabs(value - rule->number) >= 1e-9;
    }
}

/* The value for which a comparison holds: of a list the first such item. */
static bool compare_reading(const tui_alert_rule *rule, const nvp_reading *reading, double *value)
{
    if (reading != NULL && reading->kind == NVP_KIND_LIST) {
        for (uint32_t i = 0; i < reading->count; i++) {
            if (compare_reading(rule, &reading->as.items[i], value)) {
                return true;
            }
        }
        return false;
    }
    *value = nvp_reading_number(reading, NAN);
    return !isnan(*value) && compare(rule, *value);
}

static bool is_hot(const nvp_device_sample *device, double *value)
{
    double threshold = nvp_reading_number(nvp_device_sample_get(device, NVP_METRIC_TEMPERATURE_SLOWDOWN_THRESHOLD_C), NAN);
    *value = nvp_reading_number(nvp_device_sample_get(device, NVP_METRIC_TEMPERATURE_GPU_C), NAN);
    return *value >= (threshold > 0 ? threshold - HOT_MARGIN_C : HOT_C);
}

/* Whether a condition holds for a device, and for which value of its metric. */
static bool holds(const tui_alert_rule *rule, const nvp_device_sample *device, double *value)
{
    const nvp_reading *reading = nvp_device_sample_get(device, rule->metric);
    *value = 0;
    switch (rule->kind) {
    case TUI_ALERT_METRIC:
        return device->state == NVP_DEVICE_OK && compare_reading(rule, reading, value);
    case TUI_ALERT_HOT:
        return device->state == NVP_DEVICE_OK && is_hot(device, value);
    case TUI_ALERT_THROTTLED:
        *value = nvp_reading_number(reading, 0);
        return device->state == NVP_DEVICE_OK && (nvp_reading_uint(reading, 0) & TEXT_SLOWDOWN_REASONS) != 0;
    case TUI_ALERT_ECC:
    case TUI_ALERT_XID:
        *value = nvp_reading_number(reading, 0);
        return *value > 0;
    case TUI_ALERT_LOST:
        return device->state == NVP_DEVICE_LOST && device->mig_index < 0;
    case TUI_ALERT_STALLED:
        return device->state == NVP_DEVICE_STALLED && device->mig_index < 0;
    default:
        return device->state == NVP_DEVICE_FAILED && device->mig_index < 0;
    }
}

/* Devices come in the same order each time, and so do their records, mostly: the next one is behind the last. */
static tui_alert *find(tui_alerts *alerts, size_t rule, const nvp_device_sample *device)
{
    for (size_t i = 0; i < alerts->count; i++) {
        size_t place = (alerts->next + i) % alerts->count;
        tui_alert *alert = &alerts->alerts[place];
        if (alert->rule == rule && alert->gpu == device->index && alert->mig == device->mig_index) {
            alerts->next = place + 1;
            return alert;
        }
    }
    return NULL;
}

static void set_active(tui_alerts *alerts, tui_alert *alert, bool is_active)
{
    alerts->active[alert->rule] += is_active && !alert->is_active;
    alerts->active[alert->rule] -= !is_active && alert->is_active;
    alert->is_active = is_active;
}

static tui_alert *add(tui_alerts *alerts, size_t rule, const nvp_device_sample *device)
{
    if (alerts->count == alerts->capacity) {
        size_t capacity = alerts->capacity * 2 + 16;
        tui_alert *grown = reallocarray(alerts->alerts, capacity, sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        alerts->alerts = grown;
        alerts->capacity = capacity;
    }
    tui_alert *alert = &alerts->alerts[alerts->count++];
    *alert = (tui_alert){ .rule = rule, .gpu = device->index, .mig = device->mig_index };
    return alert;
}

static bool is_counted(const tui_alert_rule *rule)
{
    return has_metric(rule) && nvp_metric_get(rule->metric)->kind == NVP_METRIC_COUNTER;
}

/* True when it has begun, or its counter has moved on. */
static bool update_one(tui_alerts *alerts, size_t rule, const nvp_device_sample *device, int64_t now_us)
{
    double value;
    bool does_hold = holds(&alerts->rules[rule], device, &value);
    tui_alert *alert = does_hold || alerts->active[rule] > 0 ? find(alerts, rule, device) : NULL;
    if (!does_hold) {
        if (alert != NULL) {
            set_active(alerts, alert, false);
        }
        return false;
    }
    alert = alert != NULL ? alert : add(alerts, rule, device);
    if (alert == NULL) {
        return false;
    }
    bool begins = !alert->is_active, grows = !begins && is_counted(&alerts->rules[rule]) && value > alert->value;
    if (begins) {
        alert->acknowledged = NAN;
        alert->since_us = now_us;
    }
    set_active(alerts, alert, true);
    alert->value = value;
    alert->last_xid = nvp_reading_number(nvp_device_sample_get(device, NVP_METRIC_EVENT_LAST_XID), NAN);
    return begins || grows;
}

bool tui_alerts_update(tui_alerts *alerts, const nvp_snapshot *snapshot,
                       bool (*is_shown)(const void *context, const nvp_device_sample *device), const void *context)
{
    const nvp_device_sample *device;
    bool has_news = false;
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        for (size_t rule = 0; rule < alerts->rule_count && is_shown(context, device); rule++) {
            has_news = update_one(alerts, rule, device, nvp_snapshot_time_us(snapshot)) || has_news;
        }
    }
    return has_news;
}

void tui_alerts_forget(tui_alerts *alerts)
{
    alerts->count = alerts->next = 0;
    memset(alerts->active, 0, sizeof alerts->active);
}

bool tui_alert_is_open(const tui_alerts *alerts, const tui_alert *alert)
{
    bool is_counted_again = is_counted(&alerts->rules[alert->rule]) && alert->value > alert->acknowledged;
    return alert->is_active && (isnan(alert->acknowledged) || is_counted_again);
}

bool tui_alerts_acknowledge(tui_alerts *alerts)
{
    bool had_any = false;
    for (size_t i = 0; i < alerts->count; i++) {
        if (tui_alert_is_open(alerts, &alerts->alerts[i])) {
            alerts->alerts[i].acknowledged = alerts->alerts[i].value;
            had_any = true;
        }
    }
    return had_any;
}

/* A value as its metric is written. */
static void format_value(const tui_alert_rule *rule, double value, char *text, size_t size)
{
    nvp_reading reading = { .kind = NVP_KIND_REAL, .as.real_value = value };
    if (value >= 0 && fabs(value - floor(value)) < 1e-9 && value < 1e18) {
        reading.kind = NVP_KIND_UINT;
        reading.as.uint_value = (uint64_t)value;
    }
    nvp_metric_format(rule->metric, &reading, text, size);
}

/* "XID 48, 3 events": which it was last, and how often there was one. */
static void describe_xid(const tui_alert *alert, char *text, size_t size)
{
    char number[24] = "", times[24] = "";
    if (!isnan(alert->last_xid)) {
        snprintf(number, sizeof number, " %.0f", alert->last_xid);
    }
    if (alert->value > 1) {
        snprintf(times, sizeof times, ", %.0f events", alert->value);
    }
    snprintf(text, size, "XID%s%s", number, times);
}

static void describe(const tui_alert_rule *rule, const tui_alert *alert, char *text, size_t size)
{
    double value = alert->value;
    char number[48];
    static const char *const texts[] = {
        [TUI_ALERT_HOT] = "hot, ", [TUI_ALERT_THROTTLED] = "throttled: ", [TUI_ALERT_ECC] = "ECC uncorrected ",
        [TUI_ALERT_LOST] = "lost", [TUI_ALERT_STALLED] = "stalled",       [TUI_ALERT_FAILED] = "cannot be asked",
    };
    bool is_slowdown = rule->kind == TUI_ALERT_THROTTLED;
    format_value(rule, value, number, sizeof number);
    if (rule->kind == TUI_ALERT_XID) {
        describe_xid(alert, text, size);
    } else if (rule->kind == TUI_ALERT_METRIC) {
        snprintf(text, size, "%s is %s", rule->text, number);
    } else {
        snprintf(text, size, "%s%s", texts[rule->kind],
                 is_slowdown        ? text_slowdown((uint64_t)value)
                 : has_metric(rule) ? number
                                    : "");
    }
}

void tui_alert_format(const tui_alerts *alerts, const tui_alert *alert, char *text, size_t size)
{
    char what[160], mig[16] = "", clock[16];
    time_t since = (time_t)(alert->since_us / 1000000);
    struct tm local;
    describe(&alerts->rules[alert->rule], alert, what, sizeof what);
    localtime_r(&since, &local);
    strftime(clock, sizeof clock, "%H:%M:%S", &local);
    if (alert->mig >= 0) {
        snprintf(mig, sizeof mig, ":%d", alert->mig);
    }
    snprintf(text, size, "GPU %u%s %s since %s", alert->gpu, mig, what, clock);
}

void tui_alerts_free(tui_alerts *alerts)
{
    free(alerts->alerts);
    *alerts = (tui_alerts){ 0 };
}
