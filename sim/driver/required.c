/*
 * Masks of required pointers, made once from the table of parameters when the library is loaded.
 */
#include "driver/required.h"

#include "abi/table.h"

typedef struct parameter {
    short function;
    unsigned char position, role, kind, flags;
} parameter;

static const parameter parameters[] = {
#define NVP_PARAM(function, position, name, ctype, role, kind, type, link, flags)                                                \
    { NVPSIM_FN_##function, position, role, kind, flags },
#include "abi/params.def"
};

static unsigned char required[NVPSIM_FUNCTION_COUNT]; /* bit n: parameter n must not be NULL */
static unsigned char foreign[NVPSIM_FUNCTION_COUNT];  /* the first parameter is a handle of a kind without any valid one */

static int is_required(const parameter *row)
{
    if (row->flags & NVP_PARAM_OPTIONAL) {
        return 0;
    }
    return row->role == NVP_ROLE_OUT || row->role == NVP_ROLE_INOUT || row->role == NVP_ROLE_TEXT ||
           row->role == NVP_ROLE_LENGTH_INOUT || row->role == NVP_ROLE_COUNT_INOUT || row->role == NVP_ROLE_COUNT_OUT ||
           row->role == NVP_ROLE_VALUES || (row->role == NVP_ROLE_IN && row->kind == NVP_TYPE_HANDLE);
}

__attribute__((constructor)) static void required_make(void)
{
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++) {
        const parameter *row = &parameters[i];
        if (is_required(row)) {
            required[row->function] |= (unsigned char)(1u << row->position);
        }
        if (row->position == 0 && row->kind == NVP_TYPE_HANDLE && row->role == NVP_ROLE_IN) {
            foreign[row->function] = 1;
        }
    }
}

nvmlReturn_t nvpsim__required_answer(int function, unsigned null_mask, int is_of_device)
{
    if ((required[function] & null_mask) != 0 || (foreign[function] && !is_of_device)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return NVML_ERROR_NOT_SUPPORTED;
}
