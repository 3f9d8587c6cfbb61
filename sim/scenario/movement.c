/*
 * Reading of movements: a plain number, or a mapping with `move` and what that kind of movement needs.
 * Checks that the values lie within the limits of the key that moves.
 */
#include <stddef.h>

#include "scenario/movement_form.h"

static bool is_within(double value, const nvpsim_key *key)
{
    return value >= key->low && value <= key->high;
}

static bool fail_range(nvpsim_reader *reader, const yaml_node_t *node, const nvpsim_key *key, double scale)
{
    const char *text = nvpsim__node_text(node);
    return nvpsim__read_fail(reader, node, "%s%s%s is not allowed; allowed: a number from %g to %g%s%s, or a mapping with 'move'",
                             text ? "'" : "a list", text ? text : "", text ? "'" : "", key->low / scale, key->high / scale,
                             key->unit[0] ? " " : "", scale > 1 ? "MiB" : key->unit);
}

static bool real_read(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_movement_form *form, double *value)
{
    const char *text = nvpsim__node_text(node);
    double number;
    if (!text || !nvpsim__parse_real(text, form->scale > 1 ? "" : form->key->unit, &number) ||
        !is_within(number * form->scale, form->key)) {
        return fail_range(reader, node, form->key, form->scale);
    }
    *value = number * form->scale;
    return true;
}

bool nvpsim__read_movement_low(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_movement_form *form = target;
    form->has_low = true;
    return real_read(reader, node, form, &form->low);
}

bool nvpsim__read_movement_high(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_movement_form *form = target;
    form->has_high = true;
    return real_read(reader, node, form, &form->high);
}

bool nvpsim__read_movement_step(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_movement_form *form = target;
    form->has_step = true;
    return real_read(reader, node, form, &form->step);
}

bool nvpsim__read_movement_value(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_movement_form *form = target;
    form->has_value = true;
    return real_read(reader, node, form, &form->value);
}

bool nvpsim__read_movement_values(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_movement_form *form = target;
    void *items;
    if (!nvpsim__read_list(reader, node, sizeof(double), &items, &form->count)) {
        return false;
    }
    double *values = items;
    for (size_t i = 0; i < form->count; i++) {
        size_t before = nvpsim__path_push_index(reader, i);
        if (!real_read(reader, nvpsim__list_item(reader, node, i), form, &values[i])) {
            return false;
        }
        nvpsim__path_pop(reader, before);
    }
    form->values = values;
    return true;
}

/* FNV-1a: gives each key a seed of its own. */
static uint64_t seed_of(const char *path)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *at = path; *at; at++) {
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static const char *missing_of(const nvpsim_movement_form *form)
{
    switch ((nvpsim_movement_kind)form->kind.value) {
    case NVPSIM_CONSTANT:
        return form->has_value ? NULL : "'move: constant' needs 'value'";
    case NVPSIM_SINE:
    case NVPSIM_SQUARE:
    case NVPSIM_WALK:
        if (!form->has_low || !form->has_high) {
            return "this movement needs 'low' and 'high'";
        }
        return form->low <= form->high ? NULL : "'low' must not exceed 'high'";
    case NVPSIM_RECORDED:
        break;
    case NVPSIM_STEPS:
        return form->count > 0 ? NULL : "'move: steps' needs 'values', a list of at least one number";
    }
    return NULL;
}

static double part_of(nvpsim_number percent, double otherwise)
{
    return percent.state == NVPSIM_GIVEN ? (double)percent.value / 100 : otherwise;
}

static void form_to_movement(const nvpsim_movement_form *form, nvpsim_movement *movement)
{
    nvpsim_movement_kind kind = (nvpsim_movement_kind)form->kind.value;
    bool is_stepwise = kind == NVPSIM_STEPS || kind == NVPSIM_WALK;
    *movement = (nvpsim_movement){
        .state = NVPSIM_GIVEN,
        .kind = kind,
        .low = kind == NVPSIM_CONSTANT ? form->value : form->low,
        .high = kind == NVPSIM_CONSTANT ? form->value : form->high,
        .period_ms = form->period_ms.state == NVPSIM_GIVEN ? form->period_ms.value : (is_stepwise ? 1000 : 60000),
        .phase = part_of(form->phase_percent, 0),
        .spread = part_of(form->spread_percent, 0),
        .duty = part_of(form->duty_percent, 0.5),
        .step = form->has_step ? form->step : (form->high - form->low) / 10,
        .seed = form->seed.state == NVPSIM_GIVEN ? form->seed.value : seed_of(form->key->path),
        .values = form->values,
        .count = form->count,
    };
}

bool nvpsim__read_movement_scaled(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, double scale,
                                  nvpsim_movement *movement)
{
    nvpsim_movement_form form = { .key = key, .scale = scale };
    if (node->type == YAML_MAPPING_NODE) {
        if (!nvpsim__read_mapping(reader, node, &nvpsim__keys_movement, &form)) {
            return false;
        }
        if (form.kind.state != NVPSIM_GIVEN) {
            form.kind.value = form.has_value ? NVPSIM_CONSTANT : NVPSIM_SINE;
        }
        const char *missing = missing_of(&form);
        if (missing) {
            return nvpsim__read_fail(reader, node, "%s", missing);
        }
    } else {
        form.kind.value = NVPSIM_CONSTANT;
        if (!real_read(reader, node, &form, &form.value)) {
            return false;
        }
    }
    form_to_movement(&form, movement);
    return true;
}

bool nvpsim__read_movement(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, nvpsim_movement *movement)
{
    return nvpsim__read_movement_scaled(reader, node, key, 1, movement);
}
