/*
 * What is inside a text or a primitive of JSON: checks that name the byte, and texts without their escapes.
 */
#ifndef NVP_MODEL_JSON_TEXT_H
#define NVP_MODEL_JSON_TEXT_H

#include "model/json.h"

/** Checks a text from its opening quote to its closing one. */
bool nvp__json_check_text(struct nvp__json *json, size_t begin);

/** Checks that the bytes are null, true, false or a number as RFC 8259 has it. */
bool nvp__json_check_primitive(struct nvp__json *json, size_t begin, size_t end);

/** Writes `length` bytes of a text that was checked, escapes resolved, which never makes it longer. Returns the new length. */
size_t nvp__json_decode(const char *text, size_t length, char *buffer);

#endif
