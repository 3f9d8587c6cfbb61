/*
 * A walk over the events of the parser, which come one by one, long before there is a document.
 */
#include "scenario/nesting.h"

bool nvpsim__nesting_check(const unsigned char *text, size_t size, yaml_mark_t *place)
{
    yaml_parser_t parser;
    yaml_event_t event;
    size_t depth = 0;
    bool ends = false;
    if (!yaml_parser_initialize(&parser)) {
        return true; /* the loader will find the same, and say so */
    }
    yaml_parser_set_input_string(&parser, text, size);
    while (!ends && depth <= NVPSIM_NESTING_MAX && yaml_parser_parse(&parser, &event)) {
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        ends = event.type == YAML_STREAM_END_EVENT;
        *place = event.start_mark;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return depth <= NVPSIM_NESTING_MAX;
}
