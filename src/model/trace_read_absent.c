/*
 * Stands in for trace_read.c where the library is built without jsmn, which takes JSON apart.
 */
#include <nvpulse/trace.h>

#include "base/out.h"

nvp_status nvp_trace_call_from_json(const char *line, size_t length, nvp_trace_call *call, char *message, size_t size)
{
    struct nvp__out out = nvp__out_over(message, message != NULL ? size : 0);
    (void)length;
    if (line == NULL || call == NULL || call->struct_size != sizeof(*call)) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    nvp__out_text(&out, "this library was built without jsmn.h, so that it cannot read JSON");
    return NVP_ERROR_NOT_BUILT;
}
