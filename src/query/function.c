/*
 * What is known of functions and constants, for programs that list, check and suggest.
 */
#include "abi/table.h"
#include "base/compiler.h"
#include "driver/library.h"

#include <nvpulse/function.h>

#include <string.h>
#include <strings.h>

#define NAME_MAX_BYTES 96 /* longer names are not near to any function */

struct constant {
    const char *name;
    int64_t value;
};

static const struct constant constants[] = {
#define NVP_CONSTANT(name, value, ctype) { #name, (int64_t)value },
#include "abi/constants.def"
};

static const struct constant field_ids[] = {
#define NVP_FIELD_ID(name, value) { #name, value },
#include "abi/field_ids.def"
};

size_t nvp_function_count(void)
{
    return NVP_FN_COUNT;
}

const nvp_function *nvp_function_at(size_t index)
{
    return index < NVP_FN_COUNT ? &nvp__functions[index].public : NULL;
}

const nvp_function *nvp_function_find(const char *name)
{
    const struct nvp__function *row = name != NULL ? nvp__function_row(name) : NULL;
    return row != NULL ? &row->public : NULL;
}

static const struct nvp__function *row_of(const nvp_function *function)
{
    return function != NULL ? nvp__function_row(function->name) : NULL;
}

static const char *enum_name_of(const struct nvp__param *param)
{
    bool is_number = param->kind == NVP_TYPE_ENUM || param->kind == NVP_TYPE_U32 || param->kind == NVP_TYPE_U64;
    return is_number && param->type > 0 && param->type < NVP__ENUM_END ? nvp__enums[param->type].name : NULL;
}

nvp_status nvp_function_parameter(const nvp_function *function, size_t index, nvp_parameter *parameter)
{
    const struct nvp__function *row = row_of(function);
    if (row == NULL || parameter == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    if (index >= row->public.parameter_count) {
        return NVP_ERROR_NO_SUCH_FIELD;
    }
    const struct nvp__param *param = &nvp__function_params(row)[index];
    *parameter = (nvp_parameter){
        .name = nvp__text_at(param->name),
        .ctype = nvp__text_at(param->ctype),
        .supplied = param->role == NVP_ROLE_IN || param->role == NVP_ROLE_INOUT || param->role == NVP_ROLE_VALUES,
        .optional = param->role == NVP_ROLE_INOUT && param->kind == NVP_TYPE_STRUCT,
        .is_output = param->role != NVP_ROLE_IN && param->role != NVP_ROLE_LENGTH && param->role != NVP_ROLE_CAPACITY,
        .is_handle = param->kind == NVP_TYPE_HANDLE && param->role == NVP_ROLE_IN,
        .is_text = param->kind == NVP_TYPE_CHAR,
        .is_struct = param->kind == NVP_TYPE_STRUCT,
        .enum_name = enum_name_of(param),
    };
    return NVP_SUCCESS;
}

bool nvp_function_available(const nvp_function *function)
{
    const struct nvp__function *row = row_of(function);
    return row != NULL && nvp__exported_at((enum nvp__function_index)nvp__function_index(row)) != NULL;
}

/* Edit distance between two names without regard to case, one row of the matrix at a time. */
static size_t distance(const char *one, const char *other)
{
    size_t previous[NAME_MAX_BYTES + 1];
    size_t length = strlen(other);
    for (size_t j = 0; j <= length; j++) {
        previous[j] = j;
    }
    for (size_t i = 1; one[i - 1] != '\0'; i++) {
        size_t diagonal = previous[0];
        previous[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t above = previous[j];
            size_t change = diagonal + (strncasecmp(&one[i - 1], &other[j - 1], 1) != 0);
            size_t gap = (above < previous[j - 1] ? above : previous[j - 1]) + 1;
            previous[j] = change < gap ? change : gap;
            diagonal = above;
        }
    }
    return previous[length];
}

static size_t nearness(const char *asked, const char *name)
{
    size_t far = distance(asked, name);
    return strcasestr(name, asked) != NULL ? far / 4 : far; /* part of a name is nearer than its length says */
}

size_t nvp_function_suggest(const char *name, const nvp_function **nearest, size_t max)
{
    size_t count = 0;
    if (name == NULL || strlen(name) > NAME_MAX_BYTES || name[0] == '\0') {
        return 0;
    }
    size_t limit = 2 + strlen(name) / 5;
    size_t distances[8] = { 0 };
    max = max < NVP__COUNT_OF(distances) ? max : NVP__COUNT_OF(distances);
    for (size_t i = 0; i < NVP_FN_COUNT; i++) {
        size_t far = nearness(name, nvp__functions[i].public.name);
        size_t at = count;
        if (far > limit) {
            continue;
        }
        while (at > 0 && distances[at - 1] > far) {
            at--;
        }
        if (at >= max) {
            continue;
        }
        count = count < max ? count + 1 : max;
        for (size_t j = count - 1; j > at; j--) {
            nearest[j] = nearest[j - 1];
            distances[j] = distances[j - 1];
        }
        nearest[at] = &nvp__functions[i].public;
        distances[at] = far;
    }
    return count;
}

static bool find_constant(const struct constant *rows, size_t count, const char *name, int64_t *value)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *value = rows[i].value;
            return true;
        }
    }
    return false;
}

nvp_status nvp_constant_find(const char *name, int64_t *value)
{
    if (name == NULL || value == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    for (int type = 1; type < NVP__ENUM_END; type++) {
        size_t count;
        const struct nvp__enumerator *names = nvp__enum_names(&nvp__enums[type], &count);
        for (size_t i = 0; i < count; i++) {
            if (strcmp(nvp__text_at(names[i].name), name) == 0) {
                *value = names[i].value;
                return NVP_SUCCESS;
            }
        }
    }
    bool found = find_constant(constants, NVP__COUNT_OF(constants), name, value) ||
                 find_constant(field_ids, NVP__COUNT_OF(field_ids), name, value);
    return found ? NVP_SUCCESS : (nvp_status)NVP_ERROR_NO_SUCH_FIELD;
}

static const struct nvp__enum *enum_row(const char *name)
{
    for (int type = 1; name != NULL && type < NVP__ENUM_END; type++) {
        if (strcmp(nvp__enums[type].name, name) == 0) {
            return &nvp__enums[type];
        }
    }
    return NULL;
}

const char *nvp_enum_value_name(const char *enum_name, int64_t value)
{
    const struct nvp__enum *row = enum_row(enum_name);
    return row != NULL ? nvp__enum_name(row, value) : NULL;
}

const char *nvp_enum_value_at(const char *enum_name, size_t index, int64_t *value)
{
    const struct nvp__enum *row = enum_row(enum_name);
    size_t count = 0;
    const struct nvp__enumerator *names = row != NULL ? nvp__enum_names(row, &count) : NULL;
    if (index >= count) {
        return NULL;
    }
    if (value != NULL) {
        *value = names[index].value;
    }
    return nvp__text_at(names[index].name);
}

const char *nvp_field_id_name(unsigned int field_id)
{
    static const struct constant present[] = {
#define NVP_FIELD_ID(name, value) { #name, value },
#define NVP_FIELD_ID_FORMER(name, value)
#include "abi/field_ids.def"
    };
    for (size_t i = 0; i < NVP__COUNT_OF(present); i++) {
        if (present[i].value == (int64_t)field_id) {
            return present[i].name;
        }
    }
    return NULL;
}
