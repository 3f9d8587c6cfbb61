/*
 * Text that is no snapshot: each mistake has its message and its byte, and nothing is read past the end of the text.
 */
#include "check.h"
#include "sample_snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The smallest snapshot, and places in it for a test to change. */
#define HEAD "{\"schema\":\"nvpulse.snapshot/1\",\"sequence\":1,\"generation\":1,\"time_us\":1,"
#define HOST "\"host\":{},"
#define TAIL "\"process_status\":null,\"processes\":[]}"
#define WHOLE HEAD HOST "\"devices\":[]," TAIL
#define DEVICE_HEAD                                                                                                              \
    "{\"index\":0,\"mig_index\":null,\"state\":\"ok\",\"status\":null,\"stalled_us\":0,\"sampled_at_us\":5,\"read_at_us\":5,"
#define WITH_METRICS(metrics, na) HEAD HOST "\"devices\":[" DEVICE_HEAD "\"metrics\":{" metrics "},\"na\":{" na "}}]," TAIL
#define WITH_HOST(host) HEAD "\"host\":{" host "},\"devices\":[]," TAIL
#define WITH_PROCESS(process) HEAD HOST "\"devices\":[],\"process_status\":null,\"processes\":[{" process "}]}"

/* The text is copied to memory of its very size, so that a sanitizer sees each byte too much. */
static nvp_status read_text(const char *text, size_t length, nvp_snapshot **snapshot, char *message, size_t size)
{
    char *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    *snapshot = NULL;
    nvp_status status = nvp_snapshot_from_json(copy, length, snapshot, message, size);
    free(copy);
    return status;
}

static void expect(const char *text, size_t length, const char *wanted)
{
    char message[256];
    nvp_snapshot *snapshot;
    nvp_status status = read_text(text, length, &snapshot, message, sizeof(message));
    nvp_snapshot_free(snapshot);
    assert_string_equal(message, wanted);
    assert_status(status, wanted[0] == '\0' ? NVP_SUCCESS : NVP_ERROR_BAD_DATA);
}

/* `wanted` with the place of `mark` in the text as its byte. */
static void expect_at(const char *text, const char *mark, const char *wanted)
{
    char message[256];
    const char *place = strstr(text, mark);
    assert_non_null(place);
    snprintf(message, sizeof(message), "%s at byte %zu", wanted, (size_t)(place - text));
    expect(text, strlen(text), message);
}

static void test_read__takes_the_smallest_snapshot(void **state)
{
    (void)state;
    expect(WHOLE, strlen(WHOLE), "");
    expect(WITH_METRICS("", ""), strlen(WITH_METRICS("", "")), "");
    expect(" \t\r\n" WHOLE "\n", strlen(WHOLE) + 5, "");
}

static void test_read__passes_over_what_is_newer(void **state)
{
    (void)state;
    static const char text[] =
        HEAD HOST "\"devices\":[" DEVICE_HEAD
                  "\"metrics\":{\"power.draw_mw\":7,\"newer.metric\":[{\"a\":[1,null,true]}],\"mode.compute\":\"newer_word\"},"
                  "\"na\":{\"newer.metric\":{\"reason\":\"newer_reason\",\"status\":777},"
                  "\"fan.speed_percent\":{\"reason\":\"newer_reason\",\"status\":15,\"more\":1}},"
                  "\"newer\":\"\\ud83d\\ude00\"}],\"newer\":{\"newer\":-1.5e-3}," TAIL;
    char message[256];
    nvp_snapshot *snapshot;
    nvp_status status = read_text(text, strlen(text), &snapshot, message, sizeof(message));
    assert_string_equal(message, "");
    assert_status(status, NVP_SUCCESS);
    const nvp_device_sample *device = nvp_snapshot_device(snapshot, 0);
    assert_int_equal(nvp_reading_uint(nvp_device_sample_get(device, NVP_METRIC_POWER_DRAW_MW), 0), 7);
    assert_string_equal(nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_MODE_COMPUTE), ""), "newer_word");
    assert_false(nvp_reading_has(nvp_device_sample_get(device, NVP_METRIC_FAN_SPEED_PERCENT)));
    nvp_snapshot_free(snapshot);
}

static void test_read__text_that_is_no_json(void **state)
{
    (void)state;
    expect("", 0, "there is no JSON at byte 0");
    expect("  ", 2, "there is no JSON at byte 2");
    expect("[]", 2, "an object is expected at byte 0");
    expect("nonsense", 8, "the text ends too early at byte 8");
    expect("hello there ", 12, "no JSON, or a bracket that does not fit at byte 0");
    expect("{}\0", 3, "a NUL at byte 2");
    expect("{\"a\":\"\\\0\"}", 10, "a NUL at byte 7");
    expect(WHOLE "}", strlen(WHOLE) + 1, "no JSON, or a bracket that does not fit at byte 131");
}

static void test_read__json_that_is_not_strict(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "{\"a\" 1}", "no JSON, or a bracket that does not fit at byte 5" },
        { "{\"a\":1,}", "a ',' that does not belong there at byte 6" },
        { "{,}", "a ',' that does not belong there at byte 1" },
        { "{\"a\":[1 2]}", "a ',' is missing at byte 8" },
        { "{\"a\":[1,,2]}", "a ',' that does not belong there at byte 8" },
        { "{\"a\":1 \"b\":2}", "a ',' is missing at byte 7" },
        { "{\"a\"}", "a value is missing at byte 4" },
        { "{\"a\":}", "a value is missing at byte 4" },
        { "{\"a\":01}", "neither a number nor null, true or false at byte 5" },
        { "{\"a\":1.}", "neither a number nor null, true or false at byte 5" },
        { "{\"a\":1e}", "neither a number nor null, true or false at byte 5" },
        { "{\"a\":-}", "neither a number nor null, true or false at byte 5" },
        { "{\"a\":nul}", "neither a number nor null, true or false at byte 5" },
        { "{\"a\":truest}", "neither a number nor null, true or false at byte 5" },
        { "{\"a\":[1}", "no JSON, or a bracket that does not fit at byte 7" },
        { "{\"a\":1} {}", "a '{' that does not belong there at byte 8" },
        { "{\"a\":1} x", "no JSON, or a bracket that does not fit at byte 8" },
        { "{1:2}", "no JSON, or a bracket that does not fit at byte 1" },
        { "{[1]:2}", "no JSON, or a bracket that does not fit at byte 1" },
        { "{\"a\":{\"b\":[{}]}", "the text ends too early at byte 15" },
        { "{\"a", "the text ends too early at byte 3" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(cases[i].text, strlen(cases[i].text), cases[i].message);
    }
}

static void test_read__texts_that_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "{\"a\":\"\xff\"}", "bad UTF-8 in a text at byte 6" },
        { "{\"a\":\"x\xc3\"}", "bad UTF-8 in a text at byte 7" },
        { "{\"a\":\"\xed\xa0\x80\"}", "bad UTF-8 in a text at byte 6" },
        { "{\"a\":\"\xc0\x80\"}", "bad UTF-8 in a text at byte 6" },
        { "{\"\xff\":1}", "bad UTF-8 in a text at byte 2" },
        { "{\"a\":\"\x01\"}", "a control character in a text at byte 6" },
        { "{\"a\":\"xy\\q\"}", "a bad escape in a text at byte 8" },
        { "{\"a\":\"\\u12g4\"}", "a bad escape in a text at byte 6" },
        { "{\"a\":\"\\u0000\"}", "a bad escape in a text at byte 6" },
        { "{\"a\":\"\\ud800\"}", "a bad escape in a text at byte 6" },
        { "{\"a\":\"\\udc00\"}", "a bad escape in a text at byte 6" },
        { "{\"a\":\"\\ud800\\u0041\"}", "a bad escape in a text at byte 6" },
        { "{\"a\":\"\\ud800\\ud800\"}", "a bad escape in a text at byte 6" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(cases[i].text, strlen(cases[i].text), cases[i].message);
    }
}

static void test_read__escapes_are_resolved(void **state)
{
    (void)state;
    static const char text[] =
        WITH_METRICS("\"identity.\\u006eame\":\"\\u00e9\\u20AC\\uD83D\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0001\"", "");
    nvp_snapshot *snapshot;
    char message[256];
    assert_status(read_text(text, strlen(text), &snapshot, message, sizeof(message)), NVP_SUCCESS);
    const nvp_reading *name = nvp_device_sample_get(nvp_snapshot_device(snapshot, 0), NVP_METRIC_IDENTITY_NAME);
    assert_string_equal(nvp_reading_text(name, ""), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\\/\b\f\n\r\t\x01");
    nvp_snapshot_free(snapshot);
}

static void test_read__every_beginning_is_refused(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    nvp_snapshot *sample = sample_snapshot();
    assert_status(nvp_snapshot_to_json(sample, &text, &length), NVP_SUCCESS);
    for (size_t i = 0; i < length; i++) {
        nvp_snapshot *snapshot;
        char message[256];
        assert_status(read_text(text, i, &snapshot, message, sizeof(message)), NVP_ERROR_BAD_DATA);
        assert_null(snapshot);
        assert_non_null(strstr(message, " at byte "));
    }
    free(text);
    nvp_snapshot_free(sample);
}

static void test_read__wrong_schema(void **state)
{
    (void)state;
    expect_at("{\"schema\":\"nvpulse.snapshot/2\"}", "\"nvp", "the schema is 'nvpulse.snapshot/2' and not 'nvpulse.snapshot/1',");
    expect_at("{\"schema\":1}", "1", "the name of a schema is expected");
    expect("{\"sequence\":1}", 14, "'schema' is missing in the object at byte 0");
    expect_at("{\"schema\":\"nvpulse.snapshot/1\",\"schema\":1}", "\"schema\":1", "'schema' for the second time");
}

static void test_read__wrong_members(void **state)
{
    (void)state;
    expect_at(HEAD HOST "\"devices\":{}," TAIL, "{},\"process_s", "devices: a list is expected");
    expect_at(HEAD HOST "\"devices\":[7]," TAIL, "7]", "an object is expected");
    expect_at(HEAD HOST "\"devices\":[]}", "{", "'process_status' is missing in the object");
    expect_at(HEAD HOST "\"devices\":[{\"index\":-1}]," TAIL, "-1", "a whole number that is not negative is expected");
    expect_at(HEAD HOST "\"devices\":[{\"index\":4294967296}]," TAIL, "4294967296", "index: not the index of a GPU");
    expect_at(HEAD HOST "\"devices\":[{\"mig_index\":-2}]," TAIL, "-2", "mig_index: not the index of a MIG device");
    expect_at(HEAD HOST "\"devices\":[{\"state\":\"odd\"}]," TAIL, "\"odd\"", "state: not the state of a device");
    expect_at(HEAD HOST "\"devices\":[{\"status\":{\"reason\":\"x\",\"status\":0}}]," TAIL, "0}}",
              "0 is not the status of a failure");
    expect_at(HEAD HOST "\"devices\":[{\"status\":{\"reason\":\"x\"}}]," TAIL, "{\"reason", "'status' is missing in the object");
    expect_at(HEAD HOST "\"devices\":[{\"stalled_us\":1.5}]," TAIL, "1.5", "a whole number below 2^63 is expected");
    expect_at(HEAD HOST "\"devices\":[{\"stalled_us\":9223372036854775808}]," TAIL, "9223372036854775808",
              "a whole number below 2^63 is expected");
    expect_at(WITH_HOST("\"name\":1"), "1},\"dev", "name: a text is expected");
    expect_at(WITH_HOST("\"cpu_count\":-1"), "-1", "cpu_count: a whole number that is not negative is expected");
    expect_at(WITH_HOST("\"cpu_count\":1.0"), "1.0", "cpu_count: a whole number that is not negative is expected");
    expect_at(WITH_HOST("\"name\":\"a\",\"name\":\"b\""), "\"name\":\"b\"", "'name' for the second time");
    expect_at(WITH_HOST("\"na\":{},\"na\":{}"), "\"na\":{}}", "'na' for the second time");
    expect_at(WITH_HOST("\"na\":1"), "1},\"dev", "an object is expected");
    expect_at(WITH_PROCESS("\"pid\":\"x\""), "\"x\"", "pid: a number is expected");
    expect_at(WITH_PROCESS("\"foreign\":null,\"type\":7"), "7}", "type: a list is expected");
    expect_at(WITH_PROCESS("\"type\":[null]"), "null]", "a number is expected");
    expect_at(WITH_PROCESS("\"name\":{}"), "{}}", "name: a text is expected");
}

static void test_read__wrong_metrics(void **state)
{
    (void)state;
    expect_at(WITH_METRICS("\"power.draw_mw\":\"much\"", ""), "\"much\"", "power.draw_mw: a number is expected");
    expect_at(WITH_METRICS("\"power.draw_mw\":true", ""), "true", "a number is expected");
    expect_at(WITH_METRICS("\"power.draw_mw\":{}", ""), "{}},\"na", "a number is expected");
    expect_at(WITH_METRICS("\"power.draw_mw\":[3]", ""), "[3]", "power.draw_mw: no list is expected");
    expect_at(WITH_METRICS("\"fan.speeds_percent\":3", ""), "3},\"na", "fan.speeds_percent: a list is expected");
    expect_at(WITH_METRICS("\"fan.speeds_percent\":[[3]]", ""), "[3]", "fan.speeds_percent: no list is expected");
    expect_at(WITH_METRICS("\"power.draw_mw\":18446744073709551616", ""), "18446744073709551616",
              "a number that does not fit into 64 bits");
    expect_at(WITH_METRICS("\"power.draw_mw\":-9223372036854775809", ""), "-9223372036854775809",
              "a number that does not fit into 64 bits");
    expect_at(WITH_METRICS("\"power.draw_mw\":1e999", ""), "1e999", "a number that is too large or too long");
    expect_at(WITH_METRICS("\"power.draw_mw\":1,\"power.draw_mw\":2", ""), "\"power.draw_mw\":2",
              "'power.draw_mw' for the second time");
    expect_at(WITH_METRICS("\"power.draw_mw\":1", "\"power.draw_mw\":{\"reason\":\"gpu_lost\",\"status\":15}"),
              "\"power.draw_mw\":{", "a reason for a value that is there");
    expect_at(WITH_METRICS("\"power.draw_mw\":null", "\"power.draw_mw\":null"), "\"power.draw_mw\":null}}]",
              "a reason is missing");
    expect_at(WITH_METRICS("\"fan.speeds_percent\":[null]", "\"fan.speeds_percent[1]\":{\"reason\":\"gpu_lost\",\"status\":15}"),
              "\"fan.speeds_percent[1]", "'fan.speeds_percent' has no item 1");
    expect_at(WITH_METRICS("\"fan.speeds_percent\":[null]", "\"fan.speeds_percent[x]\":{\"reason\":\"gpu_lost\",\"status\":15}"),
              "\"fan.speeds_percent[x]", "'fan.speeds_percent[x]': the number of an item is expected in brackets");
}

/* `count` times `piece` between two ends. */
static char *repeated(const char *begin, const char *piece, size_t count, const char *end, size_t *length)
{
    size_t one = strlen(piece), first = strlen(begin);
    *length = first + one * count + strlen(end);
    char *text = malloc(*length + 1);
    assert_non_null(text);
    memcpy(text, begin, first);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + first + one * i, piece, one);
    }
    memcpy(text + first + one * count, end, strlen(end) + 1);
    return text;
}

static void expect_repeated(const char *begin, const char *piece, size_t count, const char *end, const char *wanted, size_t byte)
{
    size_t length;
    char message[256];
    char *text = repeated(begin, piece, count, end, &length);
    snprintf(message, sizeof(message), "%s at byte %zu", wanted, byte);
    expect(text, length, message);
    free(text);
}

static void test_read__text_that_is_made_to_exhaust(void **state)
{
    (void)state;
    expect_repeated("", "[", 1000000, "", "brackets nested deeper than 32", 32);
    expect_repeated("", "{\"a\":", 1000000, "", "brackets nested deeper than 32", 160);
    expect_repeated("{\"newer\":[", "0,", 50000000, "0]}", "more than 16777216 values", 10 + 2 * 16777213);
    expect_repeated("{\"a\":[", "{},", 1000000, "{}]}", "'schema' is missing in the object", 0);
    expect_repeated("{\"a\":\"", "x", 256u << 20, "\"}", "a text that is longer than 256 MiB", 256u << 20);
    expect_repeated("{\"a\":", "9", 1000000, "}", "'schema' is missing in the object", 0);
}

static void test_read__lists_longer_than_any_machine_has(void **state)
{
    (void)state;
    static const char devices[] = HEAD HOST "\"devices\":[";
    static const char processes[] = HEAD HOST "\"devices\":[],\"process_status\":null,\"processes\":[";
    static const char items[] = HEAD HOST "\"devices\":[" DEVICE_HEAD "\"na\":{},\"metrics\":{\"fan.speeds_percent\":[";
    static const char digits[] = HEAD HOST "\"devices\":[" DEVICE_HEAD "\"na\":{},\"metrics\":{\"power.draw_mw\":0.";
    expect_repeated(devices, "{},", 4096, "{}]," TAIL, "devices: 4097 are more than 4096,", strlen(devices) - 1);
    expect_repeated(processes, "{},", 262144, "{}]}", "processes: 262145 are more than 262144,", strlen(processes) - 1);
    expect_repeated(items, "1,", 65536, "1]}}]," TAIL, "fan.speeds_percent: more than 65536 items", strlen(items) - 1);
    expect_repeated(digits, "0", 1000, "}}]," TAIL, "a number that is too large or too long", strlen(digits) - 2);
}

static void test_read__a_small_buffer_gets_what_fits(void **state)
{
    (void)state;
    char message[8];
    nvp_snapshot *snapshot = NULL;
    assert_status(nvp_snapshot_from_json("[]", 2, &snapshot, message, sizeof(message)), NVP_ERROR_BAD_DATA);
    assert_string_equal(message, "an obje");
    assert_status(nvp_snapshot_from_json("[]", 2, &snapshot, message, 0), NVP_ERROR_BAD_DATA);
    assert_string_equal(message, "an obje");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__takes_the_smallest_snapshot),
        cmocka_unit_test(test_read__passes_over_what_is_newer),
        cmocka_unit_test(test_read__text_that_is_no_json),
        cmocka_unit_test(test_read__json_that_is_not_strict),
        cmocka_unit_test(test_read__texts_that_are_none),
        cmocka_unit_test(test_read__escapes_are_resolved),
        cmocka_unit_test(test_read__every_beginning_is_refused),
        cmocka_unit_test(test_read__wrong_schema),
        cmocka_unit_test(test_read__wrong_members),
        cmocka_unit_test(test_read__wrong_metrics),
        cmocka_unit_test(test_read__text_that_is_made_to_exhaust),
        cmocka_unit_test(test_read__lists_longer_than_any_machine_has),
        cmocka_unit_test(test_read__a_small_buffer_gets_what_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
