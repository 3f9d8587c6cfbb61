/*
 * Arguments from the rows of the table.
 */
#include "calls.h"

#include <string.h>

#define FEW 4 /* items that a list has room for */
#define PATTERN 0x5a
#define SPARE 64

typedef void any_fn(void);
typedef nvmlReturn_t caller_fn(any_fn *function, const uint64_t *words);

#define WORD(type, index) ((type)(uintptr_t)words[index])
#define WORDS_1(a) WORD(a, 0)
#define WORDS_2(a, b) WORD(a, 0), WORD(b, 1)
#define WORDS_3(a, b, c) WORD(a, 0), WORD(b, 1), WORD(c, 2)
#define WORDS_4(a, b, c, d) WORD(a, 0), WORD(b, 1), WORD(c, 2), WORD(d, 3)
#define WORDS_5(a, b, c, d, e) WORD(a, 0), WORD(b, 1), WORD(c, 2), WORD(d, 3), WORD(e, 4)
#define WORDS_6(a, b, c, d, e, f) WORD(a, 0), WORD(b, 1), WORD(c, 2), WORD(d, 3), WORD(e, 4), WORD(f, 5)
#define CALL_N(count, types) ((nvmlReturn_t(*) types)function)(WORDS_##count types)
#define CALL_0(types) ((void)words, ((nvmlReturn_t(*)(void))function)())
#define CALL_1(types) CALL_N(1, types)
#define CALL_2(types) CALL_N(2, types)
#define CALL_3(types) CALL_N(3, types)
#define CALL_4(types) CALL_N(4, types)
#define CALL_5(types) CALL_N(5, types)
#define CALL_6(types) CALL_N(6, types)

#define NVP_SHAPE(token, count, c_parameter_types)                                                                               \
    static nvmlReturn_t call_##token(any_fn *function, const uint64_t *words)                                                    \
    {                                                                                                                            \
        return CALL_##count(c_parameter_types);                                                                                  \
    }
#include "abi/shapes.def"

static caller_fn *const callers[NVP__SIGNATURE_COUNT] = {
#define NVP_SHAPE(token, count, c_parameter_types) [NVP__SIGNATURE_##token] = call_##token,
#include "abi/shapes.def"
};

static any_fn *const functions[NVP_FN_COUNT] = {
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    [NVP_FN_##name] = (any_fn *)nvp_##name,
#define NVP_FUNCTION_TEXT(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                \
    [NVP_FN_##name] = NULL, /* answers text, not a status */
#include "abi/functions.def"
};

static bool is_device(const struct nvp__param *param)
{
    return param->kind == NVP_TYPE_HANDLE && param->type == NVP_HANDLE_nvmlDevice_t;
}

static const struct nvp__struct *struct_of(const struct nvp__param *param)
{
    return param->kind == NVP_TYPE_STRUCT ? nvp__struct_row(param->type) : NULL;
}

static void put(unsigned char *at, const void *number, size_t size)
{
    memcpy(at, number, size);
}

/* Fields in which 0 chooses nothing, or not the function that nvp_function_fallback() names. */
static bool is_choice(const struct nvp__field *field)
{
    bool is_uuid = field->kind == NVP_TYPE_U32 && field->type == NVP_ENUM_nvmlUUIDType_t;
    return is_uuid || (field->kind == NVP_TYPE_ENUM && field->type == NVP_ENUM_nvmlPowerProfileOperation_t);
}

/* What the caller says in a struct: zeroes, the version word, room for a few items. The rest keeps the pattern. */
static void fill_struct(unsigned char *memory, const struct nvp__struct *row)
{
    size_t count;
    const struct nvp__field *fields = nvp__struct_fields(row, &count);
    unsigned int few = FEW;
    for (size_t i = 0; i < count; i++) {
        unsigned char *at = memory + fields[i].offset;
        if ((fields[i].flags & NVP_FIELD_VERSION) != 0) {
            put(at, &row->version_word, sizeof(row->version_word));
        } else if ((fields[i].flags & NVP_FIELD_ITEMS) != 0) {
            const unsigned char *items = memory + row->size + SPARE;
            put(at, &items, sizeof(items));
        } else if ((fields[i].flags & NVP_FIELD_COUNT) != 0) {
            put(at, &few, sizeof(few));
        } else if ((fields[i].flags & NVP_FIELD_INPUT) != 0) {
            memset(at, 0, (size_t)fields[i].element_size * (fields[i].count > 0 ? fields[i].count : 1));
            at[0] = is_choice(&fields[i]);
        }
    }
}

static size_t watched_size(const struct nvp__param *param)
{
    size_t size = nvp__type_size(param->kind, param->type);
    switch (param->role) {
    case NVP_ROLE_IN:
    case NVP_ROLE_OUT:
    case NVP_ROLE_COUNT_OUT:
    case NVP_ROLE_COUNT_INOUT:
    case NVP_ROLE_LENGTH_INOUT:
        return size + SPARE;
    default:
        return size * FEW * 2 + 1024; /* lists, texts, structs with a list behind them */
    }
}

static void fill(struct call *call, size_t position, const struct nvp__param *param, nvmlDevice_t device)
{
    static const char uuid[] = "GPU-00000000";
    unsigned char *memory = call->memory[position];
    const struct nvp__struct *row = struct_of(param);
    unsigned int number = param->role == NVP_ROLE_COUNT_INOUT || param->role == NVP_ROLE_LENGTH_INOUT ? FEW : 0;
    bool by_value =
        (param->role == NVP_ROLE_IN && row == NULL) || param->role == NVP_ROLE_LENGTH || param->role == NVP_ROLE_CAPACITY;
    memset(memory, PATTERN, watched_size(param));
    call->used[position] = by_value ? 0 : watched_size(param);
    call->words[position] = (uint64_t)(uintptr_t)memory;
    if (by_value && param->kind == NVP_TYPE_CHAR) {
        call->words[position] = (uint64_t)(uintptr_t)uuid;
    } else if (by_value && param->role == NVP_ROLE_IN) {
        call->words[position] = is_device(param) ? (uint64_t)(uintptr_t)device : 0;
    } else if (by_value) {
        call->words[position] = FEW;
    } else if (param->role == NVP_ROLE_VALUES) {
        memset(memory, 0, call->used[position]);
    } else if (row != NULL && param->role != NVP_ROLE_OUT) {
        fill_struct(memory, row);
    } else if (param->role == NVP_ROLE_INOUT || number > 0) {
        put(memory, &number, sizeof(number));
    }
}

void call_prepare(struct call *call, const struct nvp__function *row, nvmlDevice_t device)
{
    const struct nvp__param *params = nvp__function_params(row);
    call->row = row;
    for (size_t i = 0; i < row->public.parameter_count; i++) {
        fill(call, i, &params[i], device);
        memcpy(call->before[i], call->memory[i], call->used[i]);
    }
}

nvmlReturn_t call_make(struct call *call)
{
    return callers[call->row->signature](functions[nvp__function_index(call->row)], call->words);
}

bool call_left_all_alone(const struct call *call)
{
    for (size_t i = 0; i < call->row->public.parameter_count; i++) {
        if (memcmp(call->before[i], call->memory[i], call->used[i]) != 0) {
            return false;
        }
    }
    return true;
}

static nvp_arg argument_for(const struct nvp__param *param, uint64_t word)
{
    switch (param->kind) {
    case NVP_TYPE_HANDLE:
        return nvp_arg_handle((const void *)(uintptr_t)word);
    case NVP_TYPE_CHAR:
        return nvp_arg_text((const char *)(uintptr_t)word);
    case NVP_TYPE_STRUCT:
        return nvp_arg_data((const void *)(uintptr_t)word, struct_of(param)->size);
    default:
        return nvp_arg_uint(0);
    }
}

size_t call_arguments(const struct call *call, nvp_arg *arguments)
{
    const struct nvp__param *params = nvp__function_params(call->row);
    size_t count = 0;
    for (size_t i = 0; i < call->row->public.parameter_count; i++) {
        if (params[i].role == NVP_ROLE_IN || params[i].role == NVP_ROLE_VALUES || params[i].role == NVP_ROLE_INOUT) {
            arguments[count++] = argument_for(&params[i], call->words[i]);
        }
    }
    return count;
}
