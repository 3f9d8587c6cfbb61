/*
 * The masked driver behind the library in use, and structs compared field by field.
 */
#include "compare.h"

#include <nvpulse/sim.h>

#include <stdio.h>
#include <stdlib.h>

struct field {
    const char *type;
    const char *name;
    size_t offset, element_size, count;
    const char *nested; /* "NVP_STRUCT_" and the type of its elements, when they are structs */
    const char *flags;
};

static const struct field fields[] = {
#define NVP_FIELD(struct_name, name, offset, kind, element_size, count, type, flags)                                             \
    { #struct_name, name, offset, element_size, (count) > 0 ? (count) : 1, #type, #flags },
#include "abi/structs.def"
};

static any_fn *symbol_of(const char *name)
{
    void *symbol = nvp_symbol(name);
    any_fn *function;
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

any_fn *whole_function(const char *name)
{
    any_fn *find = symbol_of("masked_function");
    assert_non_null(find);
    return ((any_fn * (*)(const char *)) find)(name);
}

nvmlDevice_t device_at(unsigned int index)
{
    static nvmlDevice_t devices[64]; /* asked for once: not while calls fail */
    assert_true(index < sizeof(devices) / sizeof(devices[0]));
    if (devices[index] == NULL) {
        assert_int_equal(nvp_nvmlDeviceGetHandleByIndex_v2(index, &devices[index]), NVML_SUCCESS);
    }
    return devices[index];
}

nvmlGpuInstance_t instance_of(unsigned int id)
{
    nvmlGpuInstance_t instance;
    assert_int_equal(nvp_nvmlDeviceGetGpuInstanceById(device_at(0), id, &instance), NVML_SUCCESS);
    return instance;
}

bool is_served_by(const char *function, const char *other)
{
    const nvp_fallback *fallback = nvp_function_fallback(nvp_function_find(function));
    return fallback != NULL && strcmp(fallback->served_by, other) == 0;
}

void fail_all_calls(nvmlReturn_t answer)
{
    any_fn *fail = whole_function("family_fail");
    if (fail != NULL) {
        ((void (*)(nvmlReturn_t))fail)(answer);
    } else if (answer == NVML_SUCCESS) {
        ((nvpsim_clear_faults_fn *)whole_function("nvpsim_clear_faults"))();
    } else {
        nvpsim_fault fault = { .struct_size = sizeof(fault), .device = -1, .error = (int)answer };
        assert_int_equal(((nvpsim_add_fault_fn *)whole_function("nvpsim_add_fault"))(&fault), 0);
    }
}

static void assert_same_elements(const struct field *field, const char *one, const char *other)
{
    static const char prefix[] = "NVP_STRUCT_";
    bool nested = strncmp(field->nested, prefix, strlen(prefix)) == 0;
    if (field->element_size == 1 && strcmp(field->flags, "NVP_FIELD_TEXT") == 0) { /* what is behind its end is nobody's */
        if (strncmp(one, other, field->count) != 0) {
            fail_msg("%s.%s differs", field->type, field->name);
        }
        return;
    }
    for (size_t i = 0; i < field->count; i++, one += field->element_size, other += field->element_size) {
        if (nested) {
            assert_same_fields(field->nested + strlen(prefix), one, other);
        } else if (memcmp(one, other, field->element_size) != 0) {
            fail_msg("%s.%s differs", field->type, field->name);
        }
    }
}

void assert_same_fields(const char *type, const void *answer, const void *expected)
{
    size_t compared = 0;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strcmp(fields[i].type, type) == 0) {
            compared++;
            assert_same_elements(&fields[i], (const char *)answer + fields[i].offset, (const char *)expected + fields[i].offset);
        }
    }
    assert_true(compared > 0);
}

void set_unknown(const char *type, void *object, const char *name)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strcmp(fields[i].type, type) == 0 && strcmp(fields[i].name, name) == 0) {
            memset((char *)object + fields[i].offset, 0xff, fields[i].element_size * fields[i].count);
            return;
        }
    }
    fail_msg("%s has no %s", type, name);
}

static const struct field *field_of(const char *type, const char *name)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strcmp(fields[i].type, type) == 0 && strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

static bool is_unknown(const struct field *field, const char *bytes)
{
    if (strcmp(field->flags, "NVP_FIELD_TEXT") == 0) {
        return bytes[0] == '\0';
    }
    for (size_t i = 0; i < field->element_size * field->count; i++) {
        if ((unsigned char)bytes[i] != 0xff) {
            return false;
        }
    }
    return true;
}

static void assert_agreeing_elements(const struct field *field, const char *answer, const struct field *other_field,
                                     const char *other, const char *made)
{
    static const char prefix[] = "NVP_STRUCT_";
    assert_int_equal(field->count, other_field->count);
    if (strncmp(field->nested, prefix, strlen(prefix)) != 0) {
        assert_int_equal(field->element_size, other_field->element_size);
        assert_same_elements(field, answer, other);
        return;
    }
    for (size_t i = 0; i < field->count; i++) {
        assert_agreeing_fields(field->nested + strlen(prefix), answer + i * field->element_size,
                               other_field->nested + strlen(prefix), other + i * other_field->element_size, made);
    }
}

void assert_agreeing_fields(const char *type, const void *answer, const char *other_type, const void *other, const char *made)
{
    size_t compared = 0;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strcmp(fields[i].type, type) != 0 || strcmp(fields[i].name, "version") == 0) {
            continue;
        }
        const struct field *same = field_of(other_type, fields[i].name);
        const char *bytes = (const char *)answer + fields[i].offset;
        char word[128];
        snprintf(word, sizeof(word), " %s ", fields[i].name);
        if (made != NULL && strstr(made, word) != NULL) {
            continue;
        }
        if (same != NULL) {
            compared++;
            assert_agreeing_elements(&fields[i], bytes, same, (const char *)other + same->offset, made);
        } else if (!is_unknown(&fields[i], bytes)) {
            fail_msg("%s.%s: %s does not have it, and it is not marked as unknown", type, fields[i].name, other_type);
        }
    }
    assert_true(compared > 0);
}
