/*
 * The argument parser of `nvpulse call`: any function with any operands is read, or refused with a message. Nothing is called.
 * Input: two bytes choose the function, the rest are operands, separated by NUL.
 */
#include "cli/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPERANDS_MAX 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *quiet;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *operands[OPERANDS_MAX];
    call_request request = { .operands = operands };
    call_arguments arguments = { .count = 0 };
    if (stderr != quiet && (quiet = fopen("/dev/null", "w")) != NULL) {
        stderr = quiet; /* the messages of the parser; the fuzzer has kept the stream that it writes to */
    }
    if (size < 2) {
        return 0;
    }
    request.function = nvp_function_at((data[0] + 256u * data[1]) % nvp_function_count());
    char *text = malloc(size - 1);
    if (text == NULL) {
        abort();
    }
    memcpy(text, data + 2, size - 2);
    text[size - 2] = '\0';
    for (char *at = text; at < text + size - 2 && request.operand_count < OPERANDS_MAX; at += strlen(at) + 1) {
        operands[request.operand_count++] = at;
    }
    call_arguments_read(&arguments, &request);
    call_arguments_free(&arguments);
    free(text);
    return 0;
}
