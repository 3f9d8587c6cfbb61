/*
 * Stands in for snapshot_read.c where the library is built without jsmn, which takes JSON apart.
 */
#include <nvpulse/snapshot.h>

#include "base/out.h"

nvp_status nvp_snapshot_from_json(const char *text, size_t length, nvp_snapshot **snapshot, char *message, size_t size)
{
    struct nvp__out out = nvp__out_over(message, message != NULL ? size : 0);
    (void)length;
    if (text == NULL || snapshot == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    nvp__out_text(&out, "this library was built without jsmn.h, so that it cannot read JSON");
    return NVP_ERROR_NOT_BUILT;
}
