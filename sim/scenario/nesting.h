/*
 * How deeply a YAML text may be nested, found out before it is loaded: libyaml's work grows with the square of the depth.
 */
#ifndef NVPSIM_SCENARIO_NESTING_H
#define NVPSIM_SCENARIO_NESTING_H

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

/** Far more than any key needs. */
enum { NVPSIM_NESTING_MAX = 64 };

/**
 * False when the text is nested more deeply; then `place` is where. Reads no further than that. A text that is no YAML is for the loader to refuse:
 * true when it is not too deep up to the mistake.
 */
bool nvpsim__nesting_check(const unsigned char *text, size_t size, yaml_mark_t *place);

#endif
