/*
 * Parts of the viewer that watch over time: graphs, and conditions that raise an alert.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "alerts.h"
#include "graph.h"

/* The characters of one line of a graph of these values, the oldest first. */
static void draw(tui_graph_kind kind, int lines, int line, int columns, const float *oldest_first, size_t count, wchar_t *drawn)
{
    float values[32];
    tui_canvas canvas = { 0 };
    for (size_t i = 0; i < count; i++) {
        values[i] = oldest_first[i];
    }
    tui_graph graph = { { values, count, count - 1, count }, 0, 100, lines, kind, TUI_PLAIN };
    assert_true(tui_canvas_resize(&canvas, 1, columns));
    tui_graph_draw(&canvas, (tui_area){ 0, 0, 1, columns }, &graph, line);
    for (int i = 0; i < columns; i++) {
        drawn[i] = canvas.cells[i].character;
    }
    drawn[columns] = 0;
    tui_canvas_free(&canvas);
}

static void assert_drawn(const wchar_t *drawn, const wchar_t *wanted)
{
    assert_int_equal(wcscmp(drawn, wanted), 0);
}

static void test_graph__each_kind_has_its_steps(void **state)
{
    (void)state;
    const float values[] = { 0, 25, 50, 100 };
    wchar_t drawn[8];
    draw(TUI_GRAPH_BLOCK, 1, 0, 4, values, 4, drawn);
    assert_drawn(drawn, L"\x2581\x2582\x2584\x2588");
    draw(TUI_GRAPH_HALF, 1, 0, 4, values, 4, drawn);
    assert_drawn(drawn, L"\x2584\x2584\x2584\x2588");
    draw(TUI_GRAPH_ASCII, 1, 0, 4, values, 4, drawn);
    assert_drawn(drawn, L"..:|");
    draw(TUI_GRAPH_BRAILLE, 1, 0, 2, values, 4, drawn);
    assert_drawn(drawn, L"\x28c0\x28fc");
}

static void test_graph__lines_share_the_height(void **state)
{
    (void)state;
    const float values[] = { 50, 100 };
    wchar_t drawn[8];
    draw(TUI_GRAPH_BLOCK, 2, 0, 2, values, 2, drawn);
    assert_drawn(drawn, L" \x2588");
    draw(TUI_GRAPH_BLOCK, 2, 1, 2, values, 2, drawn);
    assert_drawn(drawn, L"\x2588\x2588");
}

static void test_graph__unknown_values_and_room_stay_empty(void **state)
{
    (void)state;
    const float values[] = { 100, NAN, 500, -5 };
    wchar_t drawn[8];
    draw(TUI_GRAPH_BLOCK, 1, 0, 6, values, 4, drawn);
    assert_drawn(drawn, L"  \x2588 \x2588\x2581");
}

static void test_graph__scales_are_round(void **state)
{
    (void)state;
    static const struct {
        double value, top;
    } cases[] = { { NAN, 1 }, { 0, 1 }, { -3, 1 }, { 1, 1 }, { 1.5, 2 }, { 3, 5 }, { 50, 50 }, { 51, 100 }, { 0.03, 0.05 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_float_equal(tui_graph_round_up(cases[i].value), cases[i].top, 1e-9);
    }
}

static void test_graph__kind_fits_the_terminal(void **state)
{
    (void)state;
    assert_int_equal(tui_graph_kind_for(true, "xterm"), TUI_GRAPH_ASCII);
    assert_int_equal(tui_graph_kind_for(false, "linux"), TUI_GRAPH_HALF);
    assert_int_equal(tui_graph_kind_for(false, "xterm-256color"), TUI_GRAPH_BRAILLE);
    assert_int_equal(tui_graph_kind_for(false, NULL), TUI_GRAPH_BRAILLE);
}

/* A snapshot with one GPU that has `metrics`, a part of JSON. */
static nvp_snapshot *snapshot_of(const char *metrics)
{
    static const char form[] =
        "{\"schema\":\"nvpulse.snapshot/1\",\"sequence\":1,\"generation\":1,\"time_us\":1000000,\"host\":{},"
        "\"devices\":[{\"index\":0,\"mig_index\":null,\"state\":\"ok\",\"status\":null,\"stalled_us\":0,"
        "\"sampled_at_us\":1000000,\"read_at_us\":1000000,\"metrics\":{%s},\"na\":{}}],"
        "\"process_status\":null,\"processes\":[]}";
    nvp_snapshot *snapshot = NULL;
    char message[160], text[4096];
    snprintf(text, sizeof text, form, metrics);
    if (nvp_snapshot_from_json(text, strlen(text), &snapshot, message, sizeof message) != NVP_SUCCESS) {
        fail_msg("%s: %s", message, text);
    }
    return snapshot;
}

static bool everything(const void *context, const nvp_device_sample *device)
{
    (void)context;
    return device != NULL;
}

static bool look(tui_alerts *alerts, const char *metrics)
{
    nvp_snapshot *snapshot = snapshot_of(metrics);
    bool has_news = tui_alerts_update(alerts, snapshot, everything, NULL);
    nvp_snapshot_free(snapshot);
    return has_news;
}

static size_t count_open(const tui_alerts *alerts)
{
    size_t count = 0;
    for (size_t i = 0; i < alerts->count; i++) {
        count += tui_alert_is_open(alerts, &alerts->alerts[i]);
    }
    return count;
}

static void test_alerts__begin_end_and_begin_again(void **state)
{
    (void)state;
    tui_alerts alerts = { 0 };
    char message[160];
    assert_true(tui_alerts_add(&alerts, "temperature.gpu_c>=85", message, sizeof message));
    assert_false(look(&alerts, "\"temperature.gpu_c\":84"));
    assert_true(look(&alerts, "\"temperature.gpu_c\":85"));
    assert_false(look(&alerts, "\"temperature.gpu_c\":90"));
    assert_int_equal(count_open(&alerts), 1);
    assert_true(tui_alerts_acknowledge(&alerts));
    assert_false(tui_alerts_acknowledge(&alerts));
    assert_false(look(&alerts, "\"temperature.gpu_c\":95"));
    assert_int_equal(count_open(&alerts), 0);
    assert_false(look(&alerts, "\"temperature.gpu_c\":null"));
    assert_true(look(&alerts, "\"temperature.gpu_c\":99"));
    assert_int_equal(count_open(&alerts), 1);
    assert_int_equal(alerts.count, 1);
    tui_alerts_free(&alerts);
}

static void test_alerts__counters_that_move_on_are_told_again(void **state)
{
    (void)state;
    tui_alerts alerts = { 0 };
    char message[160], text[160];
    assert_true(tui_alerts_add(&alerts, "xid", message, sizeof message));
    assert_true(look(&alerts, "\"event.xid_count\":1"));
    assert_true(tui_alerts_acknowledge(&alerts));
    assert_false(look(&alerts, "\"event.xid_count\":1"));
    assert_int_equal(count_open(&alerts), 0);
    assert_true(look(&alerts, "\"event.xid_count\":3"));
    assert_int_equal(count_open(&alerts), 1);
    tui_alert_format(&alerts, &alerts.alerts[0], text, sizeof text);
    assert_non_null(strstr(text, "GPU 0 XID, 3 events since "));
    assert_true(look(&alerts, "\"event.xid_count\":4,\"event.last_xid\":48"));
    tui_alert_format(&alerts, &alerts.alerts[0], text, sizeof text);
    assert_non_null(strstr(text, "GPU 0 XID 48, 4 events since "));
    tui_alerts_free(&alerts);
}

static void test_alerts__throttling_for_a_good_reason_is_none(void **state)
{
    (void)state;
    tui_alerts alerts = { 0 };
    char message[160];
    assert_true(tui_alerts_add(&alerts, "throttled", message, sizeof message));
    assert_false(look(&alerts, "\"clocks.event_reasons\":4")); /* the limit of power */
    assert_false(look(&alerts, "\"clocks.event_reasons\":1")); /* idle */
    assert_true(look(&alerts, "\"clocks.event_reasons\":64")); /* heat */
    tui_alerts_free(&alerts);
}

static void test_alerts__no_more_than_there_is_room_for(void **state)
{
    (void)state;
    tui_alerts alerts = { 0 };
    char message[160];
    for (int i = 0; i < TUI_ALERT_RULES_MAX; i++) {
        assert_true(tui_alerts_add(&alerts, "lost", message, sizeof message));
    }
    assert_false(tui_alerts_add(&alerts, "lost", message, sizeof message));
    assert_non_null(strstr(message, "more than"));
    tui_alerts_free(&alerts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph__each_kind_has_its_steps),
        cmocka_unit_test(test_graph__lines_share_the_height),
        cmocka_unit_test(test_graph__unknown_values_and_room_stay_empty),
        cmocka_unit_test(test_graph__scales_are_round),
        cmocka_unit_test(test_graph__kind_fits_the_terminal),
        cmocka_unit_test(test_alerts__begin_end_and_begin_again),
        cmocka_unit_test(test_alerts__counters_that_move_on_are_told_again),
        cmocka_unit_test(test_alerts__throttling_for_a_good_reason_is_none),
        cmocka_unit_test(test_alerts__no_more_than_there_is_room_for),
    };
    return cmocka_run_group_tests_name("tui.watch", tests, NULL, NULL);
}
