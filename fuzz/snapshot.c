/*
 * Any bytes as a snapshot: they are refused with a message that names a byte, or they become a snapshot whose own text comes back as it is.
 */
#include <nvpulse/nvpulse.h>
#include <nvpulse/snapshot.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
    if (!holds) {
        abort();
    }
}

static nvp_snapshot *read_back(const char *text, size_t length)
{
    nvp_snapshot *snapshot = NULL;
    check(nvp_snapshot_from_json(text, length, &snapshot, NULL, 0) == NVP_SUCCESS);
    return snapshot;
}

static char *write_out(const nvp_snapshot *snapshot, size_t *length)
{
    char *text = NULL;
    check(nvp_snapshot_to_json(snapshot, &text, length) == NVP_SUCCESS);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char message[200];
    nvp_snapshot *first = NULL;
    nvp_status status = nvp_snapshot_from_json((const char *)data, size, &first, message, sizeof(message));
    if (status != NVP_SUCCESS) {
        check(status == NVP_ERROR_BAD_DATA && first == NULL && strstr(message, " at byte ") != NULL);
        return 0;
    }
    check(message[0] == '\0');
    size_t length, same_length;
    char *text = write_out(first, &length);
    nvp_snapshot *second = read_back(text, length);
    char *same = write_out(second, &same_length);
    check(length == same_length && memcmp(text, same, length) == 0);
    nvp_snapshot_free(first);
    nvp_snapshot_free(second);
    free(text);
    free(same);
    return 0;
}
