/*
 * What an argument or an operand can be: names from the library's tables, devices of this machine, simulated drivers and their profiles.
 * A driver that hangs is waited for only shortly: somebody is typing.
 */
#include <stdlib.h>
#include <string.h>

#include <nvpulse/driver.h>
#include <nvpulse/function.h>
#include <nvpulse/sim.h>
#include <nvpulse/snapshot.h>

#include "complete.h"
#include "sim_drivers.h"

#define DEVICES_TIMEOUT_MS 500

static void offer_metrics(const complete_word *word)
{
    const char *group = "";
    for (size_t i = 0; i < nvp_metric_count(); i++) {
        const nvp_metric_info *info = nvp_metric_get((nvp_metric)i);
        char pattern[80];
        if (strcmp(info->group, group) != 0) {
            group = info->group;
            snprintf(pattern, sizeof pattern, "%s.*", group);
            complete_offer(word, pattern, "the whole group");
        }
        complete_offer(word, info->name, info->help);
    }
}

static void offer_smi_metrics(const complete_word *word)
{
    for (size_t i = 0; i < nvp_metric_count(); i++) {
        const nvp_metric_info *info = nvp_metric_get((nvp_metric)i);
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(info->smi_name, "|"), info->smi_name);
        if (name[0] != '\0') {
            complete_offer(word, name, info->help);
        }
    }
}

static void offer_process_fields(const complete_word *word)
{
    const nvp_process_field_info *info;
    for (int field = 0; (info = nvp_process_field_get((nvp_process_field)field)) != NULL; field++) {
        complete_offer(word, info->name, info->help);
    }
}

/* Indexes; UUIDs once their beginning has been typed. */
static void offer_devices(const complete_word *word)
{
    static const nvp_metric metrics[] = { NVP_METRIC_IDENTITY_NAME, NVP_METRIC_IDENTITY_UUID };
    const nvp_snapshot_options options = { .struct_size = sizeof options,
                                           .metrics = metrics,
                                           .metric_count = sizeof metrics / sizeof *metrics,
                                           .flags = NVP_SNAPSHOT_NO_PROCESSES,
                                           .timeout_ms = DEVICES_TIMEOUT_MS };
    nvp_snapshot *snapshot = NULL;
    const nvp_device_sample *device;
    if (nvp_snapshot_take(&options, &snapshot) != NVP_SUCCESS) {
        return;
    }
    bool is_uuid = strchr("GM", word->text[0]) != NULL && word->text[0] != '\0';
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        const char *name = nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_NAME), "");
        char index[32];
        snprintf(index, sizeof index, device->mig_index < 0 ? "%u" : "%u:%d", device->index, device->mig_index);
        complete_offer(word, is_uuid ? nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_UUID), index) : index,
                       name);
    }
    nvp_snapshot_free(snapshot);
}

static void offer_drivers(const complete_word *word)
{
    sim_drivers drivers = SIM_DRIVERS_INIT;
    if (sim_drivers_find(&drivers)) {
        for (size_t i = 0; i < drivers.count; i++) {
            complete_offer(word, drivers.versions[i], "");
        }
    }
    sim_drivers_free(&drivers);
}

/* A simulated driver names its profiles; none is initialised. */
static void offer_profiles(const complete_word *word)
{
    sim_drivers drivers = SIM_DRIVERS_INIT;
    char *library = NULL;
    if (sim_drivers_find(&drivers) && drivers.count > 0) {
        library = sim_drivers_path(&drivers, drivers.versions[drivers.count - 1], true);
    }
    if (library != NULL && setenv("NVPULSE_NVML_PATH", library, 1) == 0 && nvp_driver_find() == NVP_SUCCESS) {
        nvpsim_profile_name_fn *name = (nvpsim_profile_name_fn *)nvp_symbol("nvpsim_profile_name");
        nvpsim_profile_summary_fn *summary = (nvpsim_profile_summary_fn *)nvp_symbol("nvpsim_profile_summary");
        for (size_t i = 0; name != NULL && name(i) != NULL; i++) {
            complete_offer(word, name(i), summary != NULL ? summary(i) : "");
        }
    }
    free(library);
    sim_drivers_free(&drivers);
}

static void offer_functions(const complete_word *word)
{
    for (size_t i = 0; i < nvp_function_count(); i++) {
        const nvp_function *function = nvp_function_at(i);
        if (function->by_name) {
            complete_offer(word, function->name, function->group);
        }
    }
}

static void offer_commands(const complete_word *word)
{
    for (size_t i = 0; i < cli_command_count; i++) {
        if (!cli_commands[i]->is_hidden) {
            complete_offer(word, cli_commands[i]->name, cli_commands[i]->summary);
        }
    }
}

static void offer_files(const complete_word *word)
{
    fputs(":files\n", word->out);
}

static void offer_list(const complete_word *word, const char *list)
{
    while (*list != '\0') {
        char candidate[64];
        size_t length = strcspn(list, " ");
        snprintf(candidate, sizeof candidate, "%.*s", (int)length, list);
        complete_offer(word, candidate, "");
        list += length + (list[length] == ' ');
    }
}

/** What the argument of an option can be, by the name that the table of options has for it. */
static const struct rule {
    const char *command;  /* NULL: any */
    const char *argument; /* in capitals, as --help shows it; an option's name for one that differs from others */
    bool is_list;         /* several with commas */
    void (*offer)(const complete_word *word);
    const char *words; /* when there is no function */
} rules[] = {
    { "query", "query-compute-apps", true, NULL, "pid name used_memory gpu_uuid gpu_name gpu_bus_id gpu_serial timestamp" },
    { "query", "query-gpu", true, offer_smi_metrics, NULL },
    { "query", "GPU", true, offer_devices, NULL },
    { "query", "FORMAT", false, NULL, "csv csv,noheader csv,noheader,nounits json jsonl" },
    { "call", "GPU", false, offer_devices, NULL },
    { "processes", "FIELDS", true, offer_process_fields, NULL },
    { "processes", "TYPES", true, NULL, "C G M" },
    { "record", "LIST", true, offer_metrics, NULL },
    { "select", "FORM", false, NULL, "index uuid" },
    { "sim", "NAME", false, offer_profiles, NULL },
    { "sim", "VERSION", false, offer_drivers, NULL },
    { "sim", "KIND", false, NULL, "real stepped" },
    { "top", "NAME", false, NULL, "dark light mono" },
    { "trace", "KEY", false, NULL, "total calls mean max errors first name" },
    { NULL, "DEVICES", true, offer_devices, NULL },
    { NULL, "FILE", false, offer_files, NULL },
    { NULL, "METRICS", true, offer_metrics, NULL },
    { NULL, "WHEN", false, NULL, "auto always never" },
    { NULL, "WHICH", false, NULL, "auto all none" },
};

static void apply(const struct rule *rule, complete_word word)
{
    const char *comma = rule->is_list ? strrchr(word.text, ',') : NULL;
    if (comma != NULL) { /* what stands before stays */
        if (word.prefix_length == 0) {
            word.prefix = word.text;
        }
        word.prefix_length += (size_t)(comma + 1 - word.text);
        word.text = comma + 1;
    }
    if (rule->offer != NULL) {
        rule->offer(&word);
    } else {
        offer_list(&word, rule->words);
    }
}

void complete_argument(const cli_command *command, const cli_option *option, complete_word word)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *rule = &rules[i];
        bool is_for = rule->command == NULL || strcmp(rule->command, command->name) == 0;
        if (is_for && (strcmp(rule->argument, option->argument) == 0 || strcmp(rule->argument, option->name) == 0)) {
            apply(rule, word);
            return;
        }
    }
}

void complete_operand(const cli_command *command, int place, const complete_word *word)
{
    if (strncmp(command->operands, "FILE", 4) == 0) {
        offer_files(word);
    } else if (place == 0 && command == &cli_call_command) {
        offer_functions(word);
    } else if (place == 0 && command == &cli_help_command) {
        offer_commands(word);
    } else if (place == 0 && command == &cli_completion_command) {
        offer_list(word, "bash zsh fish");
    }
}
