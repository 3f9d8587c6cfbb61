/*
 * Any bytes as text: the result is valid UTF-8 (repairing it again changes nothing) and its JSON form has no bare control character.
 */
#include <nvpulse/nvpulse.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nvp_value value = NVP_VALUE_INIT;
    nvp_value again = NVP_VALUE_INIT;
    char *text = malloc(size + 1);
    check(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    check(nvp_value_set_text(&value, text) == NVP_SUCCESS);
    check(nvp_value_set_text(&again, nvp_value_text(&value)) == NVP_SUCCESS);
    check(strcmp(nvp_value_text(&value), nvp_value_text(&again)) == 0);
    size_t length = nvp_value_json(&value, NULL, 0);
    char *json = malloc(length + 1);
    check(json != NULL && nvp_value_json(&value, json, length + 1) == length);
    for (size_t i = 0; i < length; i++) {
        check((unsigned char)json[i] >= 0x20);
    }
    free(json);
    free(text);
    nvp_value_clear(&value);
    nvp_value_clear(&again);
    return 0;
}
