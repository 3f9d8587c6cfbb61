/*
 * A recording: each line of it is a snapshot, of which the chosen devices are taken.
 */
#include <string.h>

#include "lines.h"
#include "part.h"
#include "report.h"

/** What the reading of a file works with. */
struct reading {
    report_summary *report;
    const char *ids;
    bool id_found; /* in some snapshot each word of `ids` named a device */
    char missing[96];
};

/* Takes the chosen devices; returns false when memory ran out. */
static bool take(struct reading *reading, nvp_snapshot *snapshot)
{
    if (reading->ids == NULL) {
        report_take(reading->report, snapshot);
        return !reading->report->failed;
    }
    const char *missing = NULL;
    nvp_snapshot *part = NULL;
    cli_match match = CLI_MATCH_ONE;
    if (cli_part(snapshot, reading->ids, &part, &match, &missing) != NVP_SUCCESS) {
        return false;
    }
    reading->id_found = reading->id_found || match == CLI_MATCH_ONE;
    snprintf(reading->missing, sizeof reading->missing, "%s", missing != NULL ? missing : "");
    report_take(reading->report, part);
    nvp_snapshot_free(part);
    return !reading->report->failed;
}

static nvp_status take_line(void *context, const char *line, size_t length, char *message, size_t size)
{
    struct reading *reading = context;
    nvp_snapshot *snapshot = NULL;
    nvp_status status = nvp_snapshot_from_json(line, length, &snapshot, message, size);
    if (status == NVP_SUCCESS && !take(reading, snapshot)) {
        status = NVP_ERROR_NO_MEMORY;
    }
    nvp_snapshot_free(snapshot);
    return status;
}

int report_read(report_summary *report, const char *path, const char *ids)
{
    struct reading reading = { .report = report, .ids = ids };
    cli_lines lines = { .command = &cli_report_command, .thing = "a snapshot", .take = take_line, .context = &reading };
    int code = cli_lines_read(&lines, path);
    report->bad_lines = lines.bad;
    if (code == CLI_OK && report->snapshots == 0) {
        return cli_fail(CLI_FAILED, &cli_report_command, "%s has no snapshot that can be read", cli_lines_name(path));
    }
    if (code == CLI_OK && ids != NULL && !reading.id_found) {
        return cli_misuse(&cli_report_command, "--id: the recording has no device '%s', or several", reading.missing);
    }
    return code;
}
