/*
 * The row files against nvml.h and against each other: sizes, offsets and values as the compiler sees
 * them, order, uniqueness, links, and that every function has its parameters. Calls nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

struct function_row {
    const char *name;
    const char *group;
    const char *first_driver;
    const char *shape;
    const char *parameters;
    const char *arguments;
    int version;
};

static const struct function_row functions[] = {
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    { #name, group, first_driver, #shape, #parameters, #arguments, version },
#define NVP_FUNCTION_TEXT NVP_FUNCTION
#include "abi/functions.def"
};

struct shape_row {
    const char *token;
    int count;
    const char *types;
};

static const struct shape_row shapes[] = {
#define NVP_SHAPE(token, count, c_parameter_types) { #token, count, #c_parameter_types },
#include "abi/shapes.def"
};

struct param_row {
    const char *function;
    const char *name;
    const char *ctype;
    const char *role;
    const char *kind;
    const char *type;
    int position;
    int link;
};

static const struct param_row params[] = {
#define NVP_PARAM(function, position, name, ctype, role, kind, type, link, flags)                                                \
    { #function, name, ctype, #role, #kind, #type, position, link },
#include "abi/params.def"
};

struct struct_row {
    const char *name;
    size_t size;
    size_t found_size;
    size_t align;
    size_t found_align;
    unsigned int version_word;
};

static const struct struct_row structs[] = {
#define NVP_STRUCT(name, size, align, version_word, flags) { #name, size, sizeof(name), align, _Alignof(name), version_word },
#include "abi/structs.def"
};

struct field_row {
    const char *owner;
    const char *name;
    size_t offset;
    size_t element_size;
    size_t count;
    const char *kind;
    const char *type;
    const char *flags;
};

static const struct field_row fields[] = {
#define NVP_FIELD(struct_name, name, offset, kind, element_size, count, type, flags)                                             \
    { #struct_name, name, offset, element_size, count, #kind, #type, #flags },
#include "abi/structs.def"
};

static const char *const enum_names[] = {
#define NVP_ENUM(name) #name,
#include "abi/enums.def"
};

struct value_row {
    const char *owner;
    const char *name;
    long long value;
    long long found;
};

static const struct value_row enumerators[] = {
#define NVP_ENUMERATOR(enum_name, name, value) { #enum_name, #name, (long long)(value), (long long)(name) },
#include "abi/enums.def"
};

static const struct value_row constants[] = {
#define NVP_CONSTANT(name, value, ctype) { #ctype, #name, (long long)(ctype)(value), (long long)(name) },
#include "abi/constants.def"
};

static const struct value_row field_ids[] = {
#define NVP_FIELD_ID(name, value) { "", #name, value, name },
#include "abi/field_ids.def"
};

struct error_row {
    const char *name;
    int value;
    int found;
    const char *text;
    const char *meaning;
    const char *advice;
};

static const struct error_row errors[] = {
#define NVP_ERROR(name, value, text, meaning, advice) { #name, value, (int)(name), text, meaning, advice },
#include "abi/errors.def"
};

static const char *const handles[] = {
#define NVP_HANDLE(name) #name,
#include "abi/handles.def"
};

/* Fails unless the name at `at`, in rows of `stride` bytes, is greater than the one before it. */
static void assert_ascending(const void *first, size_t count, size_t stride, size_t at)
{
    for (size_t i = 1; i < count; i++) {
        const char *const *before = (const char *const *)(const void *)((const char *)first + (i - 1) * stride + at);
        const char *const *here = (const char *const *)(const void *)((const char *)first + i * stride + at);
        if (strcmp(*before, *here) >= 0) {
            fail_msg("%s stands before %s", *before, *here);
        }
    }
}

#define ASSERT_ASCENDING(rows, member)                                                                                           \
    assert_ascending(rows, COUNT_OF(rows), sizeof(rows)[0], (size_t)((const char *)&(rows)[0].member - (const char *)(rows)))

static void test_rows__every_list_is_sorted_and_without_doubles(void **state)
{
    (void)state;
    ASSERT_ASCENDING(functions, name);
    ASSERT_ASCENDING(shapes, token);
    ASSERT_ASCENDING(structs, name);
    ASSERT_ASCENDING(constants, name);
    ASSERT_ASCENDING(field_ids, name);
    ASSERT_ASCENDING(errors, name);
    assert_ascending(enum_names, COUNT_OF(enum_names), sizeof enum_names[0], 0);
    assert_ascending(handles, COUNT_OF(handles), sizeof handles[0], 0);
}

static void test_rows__nothing_is_missing(void **state)
{
    (void)state;
    assert_int_equal(COUNT_OF(functions), 422);
    assert_int_equal(COUNT_OF(errors), 32);
    assert_int_equal(COUNT_OF(handles), 7);
    assert_int_equal(COUNT_OF(field_ids), 308);
    /* 163 structs less two that are other names of one, and the earlier layouts. */
    size_t earlier = 0;
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        earlier += strncmp(structs[i].name, "nvp_", 4) == 0;
    }
    assert_int_equal(COUNT_OF(structs) - earlier, 161);
    assert_int_equal(earlier, 23);
}

static void test_rows__structs_are_as_the_compiler_lays_them_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        const struct struct_row *row = &structs[i];
        if (row->size != row->found_size || row->align != row->found_align) {
            fail_msg("%s: row %zu/%zu, compiler %zu/%zu", row->name, row->size, row->align, row->found_size, row->found_align);
        }
        if (row->version_word > 1 && (row->version_word & 0xffffffu) != row->size) {
            fail_msg("%s: version word 0x%08x with %zu bytes", row->name, row->version_word, row->size);
        }
    }
}

static const struct struct_row *struct_named(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        if (strcmp(structs[i].name, name) == 0) {
            return &structs[i];
        }
    }
    return NULL;
}

/* The bytes that a field takes in its struct: a pointer, one value or an array. */
static size_t bytes_of(const struct field_row *row)
{
    if (strstr(row->flags, "NVP_FIELD_ITEMS") != NULL) {
        return sizeof(void *);
    }
    return row->element_size * (row->count ? row->count : 1);
}

static void test_rows__fields_lie_inside_their_struct(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        const struct struct_row *owner = struct_named(fields[i].owner);
        assert_non_null(owner);
        if (fields[i].offset + bytes_of(&fields[i]) > owner->size) {
            fail_msg("%s.%s reaches past the end", fields[i].owner, fields[i].name);
        }
    }
}

static void test_rows__a_version_field_goes_with_a_version_word(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        unsigned int version_fields = 0;
        for (size_t f = 0; f < COUNT_OF(fields); f++) {
            if (strcmp(fields[f].owner, structs[i].name) == 0 && strstr(fields[f].flags, "NVP_FIELD_VERSION") != NULL) {
                assert_int_equal(fields[f].offset, 0);
                version_fields++;
            }
        }
        assert_int_equal(version_fields, structs[i].version_word != 0);
    }
}

static void test_rows__a_callers_array_goes_with_one_count(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(structs); i++) {
        unsigned int arrays = 0;
        unsigned int counts = 0;
        for (size_t f = 0; f < COUNT_OF(fields); f++) {
            if (strcmp(fields[f].owner, structs[i].name) == 0) {
                arrays += strstr(fields[f].flags, "NVP_FIELD_ITEMS") != NULL;
                counts += strstr(fields[f].flags, "NVP_FIELD_COUNT") != NULL;
            }
        }
        assert_int_equal(arrays, counts);
        assert_true(arrays <= 1);
    }
}

static void assert_values(const struct value_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].value != rows[i].found) {
            fail_msg("%s: row %lld, nvml.h %lld", rows[i].name, rows[i].value, rows[i].found);
        }
    }
}

static void test_rows__constants_have_the_headers_values(void **state)
{
    (void)state;
    assert_values(enumerators, COUNT_OF(enumerators));
    assert_values(constants, COUNT_OF(constants));
    assert_values(field_ids, COUNT_OF(field_ids));
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        assert_int_equal(errors[i].value, errors[i].found);
    }
}

static void test_rows__every_error_has_a_text_a_meaning_and_advice(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        assert_true(strlen(errors[i].text) > 3);
        assert_true(strlen(errors[i].meaning) > 10);
        assert_true(strlen(errors[i].advice) > 10);
    }
}

static int is_enum(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(enum_names); i++) {
        if (strcmp(enum_names[i], name) == 0) {
            return 1;
        }
    }
    return 0;
}

static int is_handle(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(handles); i++) {
        if (strcmp(handles[i], name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* A type column names a row of the list that goes with the kind. */
static void assert_type_known(const char *where, const char *kind, const char *type)
{
    static const char struct_prefix[] = "NVP_STRUCT_", enum_prefix[] = "NVP_ENUM_", handle_prefix[] = "NVP_HANDLE_";
    if (strcmp(kind, "NVP_TYPE_STRUCT") == 0) {
        if (strncmp(type, struct_prefix, sizeof struct_prefix - 1) != 0 ||
            struct_named(type + sizeof struct_prefix - 1) == NULL) {
            fail_msg("%s: no struct %s", where, type);
        }
    } else if (strcmp(kind, "NVP_TYPE_HANDLE") == 0) {
        if (strncmp(type, handle_prefix, sizeof handle_prefix - 1) != 0 || !is_handle(type + sizeof handle_prefix - 1)) {
            fail_msg("%s: no handle %s", where, type);
        }
    } else if (strcmp(type, "NVP_TYPE_NONE") != 0 || strcmp(kind, "NVP_TYPE_ENUM") == 0) {
        if (strncmp(type, enum_prefix, sizeof enum_prefix - 1) != 0 || !is_enum(type + sizeof enum_prefix - 1)) {
            fail_msg("%s: no enum %s", where, type);
        }
    }
}

static void test_rows__every_type_is_a_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(params); i++) {
        assert_type_known(params[i].function, params[i].kind, params[i].type);
    }
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        assert_type_known(fields[i].owner, fields[i].kind, fields[i].type);
    }
    for (size_t i = 0; i < COUNT_OF(enumerators); i++) {
        assert_true(is_enum(enumerators[i].owner));
    }
}

static const struct shape_row *shape_named(const char *token)
{
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        if (strcmp(shapes[i].token, token) == 0) {
            return &shapes[i];
        }
    }
    return NULL;
}

/* The class letter of a C parameter type, told from its spelling and from the compiler's sizes. */
static char class_of(const struct param_row *row)
{
    if (strchr(row->ctype, '*') != NULL || strcmp(row->kind, "NVP_TYPE_HANDLE") == 0) {
        return 'P';
    }
    return strcmp(row->kind, "NVP_TYPE_U64") == 0 ? 'L' : 'U';
}

static void test_rows__every_function_has_its_parameters(void **state)
{
    size_t next = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        const struct shape_row *shape = shape_named(functions[i].shape);
        assert_non_null(shape);
        for (int position = 0; position < shape->count; position++, next++) {
            assert_true(next < COUNT_OF(params));
            assert_string_equal(params[next].function, functions[i].name);
            assert_int_equal(params[next].position, position);
            assert_int_equal(class_of(&params[next]), shape->token[position]);
            assert_non_null(strstr(functions[i].parameters, params[next].name));
            assert_non_null(strstr(functions[i].arguments, params[next].name));
        }
        if (shape->count == 0) {
            assert_string_equal(functions[i].parameters, "(void)");
            assert_string_equal(functions[i].arguments, "()");
        }
    }
    assert_int_equal(next, COUNT_OF(params));
}

static void test_rows__every_shape_is_used_and_spelt_as_its_types(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        unsigned int users = 0;
        for (size_t i = 0; i < COUNT_OF(functions); i++) {
            users += strcmp(functions[i].shape, shapes[s].token) == 0;
        }
        assert_true(users > 0);
        assert_int_equal(shapes[s].count, strcmp(shapes[s].token, "V") == 0 ? 0 : (int)strlen(shapes[s].token));
    }
}

/* Where a parameter's link must lead; NULL where it must not have one. */
static const char *wanted_target(const char *role)
{
    static const char *const targets[][2] = {
        { "NVP_ROLE_TEXT", "NVP_ROLE_LENGTH" },
        { "NVP_ROLE_BLOB", "NVP_ROLE_LENGTH_INOUT" },
        { "NVP_ROLE_ITEMS", "NVP_ROLE_COUNT_INOUT NVP_ROLE_COUNT_OUT NVP_ROLE_CAPACITY" },
        { "NVP_ROLE_VALUES", "NVP_ROLE_CAPACITY" },
    };
    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        if (strcmp(targets[i][0], role) == 0) {
            return targets[i][1];
        }
    }
    return NULL;
}

static void test_rows__every_link_leads_to_a_length_or_a_count(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(params); i++) {
        const struct param_row *row = &params[i];
        const char *wanted = wanted_target(row->role);
        if (wanted == NULL) {
            assert_int_equal(row->link, -1);
            continue;
        }
        if (row->link < 0) { /* the one text without a length */
            assert_string_equal(row->function, "nvmlDeviceGetGspFirmwareVersion");
            continue;
        }
        const struct param_row *target = row + (row->link - row->position);
        assert_string_equal(target->function, row->function);
        if (strcmp(row->role, "NVP_ROLE_TEXT") == 0) {
            assert_memory_equal(target->role, wanted, strlen(wanted));
        } else {
            assert_non_null(strstr(wanted, target->role));
        }
    }
}

static void test_rows__every_length_and_count_belongs_to_something(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(params); i++) {
        if (strstr("NVP_ROLE_LENGTH NVP_ROLE_LENGTH_INOUT NVP_ROLE_COUNT_INOUT NVP_ROLE_COUNT_OUT NVP_ROLE_CAPACITY",
                   params[i].role) == NULL) {
            continue;
        }
        unsigned int owners = 0;
        for (size_t j = 0; j < COUNT_OF(params); j++) {
            owners += strcmp(params[j].function, params[i].function) == 0 && params[j].link == params[i].position;
        }
        if (owners == 0) {
            fail_msg("%s: nothing links to %s", params[i].function, params[i].name);
        }
    }
}

static void test_rows__the_version_is_that_of_the_suffix(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        const char *suffix = strrchr(functions[i].name, '_');
        const long version = suffix != NULL && suffix[1] == 'v' ? strtol(suffix + 2, NULL, 10) : 1;
        if (functions[i].version != 0) {
            assert_int_equal(functions[i].version, version);
        } else {
            const size_t length = strlen(functions[i].name);
            assert_true(functions[i].name[length - 1] == 'V' || strcmp(functions[i].name + length - 3, "Ext") == 0);
        }
        assert_true(strlen(functions[i].group) > 0);
        assert_true(strlen(functions[i].first_driver) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows__every_list_is_sorted_and_without_doubles),
        cmocka_unit_test(test_rows__nothing_is_missing),
        cmocka_unit_test(test_rows__structs_are_as_the_compiler_lays_them_out),
        cmocka_unit_test(test_rows__fields_lie_inside_their_struct),
        cmocka_unit_test(test_rows__a_version_field_goes_with_a_version_word),
        cmocka_unit_test(test_rows__a_callers_array_goes_with_one_count),
        cmocka_unit_test(test_rows__constants_have_the_headers_values),
        cmocka_unit_test(test_rows__every_error_has_a_text_a_meaning_and_advice),
        cmocka_unit_test(test_rows__every_type_is_a_row),
        cmocka_unit_test(test_rows__every_function_has_its_parameters),
        cmocka_unit_test(test_rows__every_shape_is_used_and_spelt_as_its_types),
        cmocka_unit_test(test_rows__every_link_leads_to_a_length_or_a_count),
        cmocka_unit_test(test_rows__every_length_and_count_belongs_to_something),
        cmocka_unit_test(test_rows__the_version_is_that_of_the_suffix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
