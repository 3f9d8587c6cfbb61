/*
 * The table of the fields of a process, and how it is searched. Knows nothing of how a field is read.
 */
#include <string.h>

#include <nvpulse/process.h>

static const nvp_process_field_info fields[NVP_PROCESS_FIELD_COUNT] = {
#define NVP_PROCESS_FIELD(id, name_, unit_, kind_, help_)                                                                        \
    [NVP_PROCESS_##                                                                                                              \
        id] = { .field = NVP_PROCESS_##id, .name = (name_), .unit = (unit_), .kind = NVP_KIND_##kind_, .help = (help_) },
#include "model/process_fields.def"
};

const nvp_process_field_info *nvp_process_field_get(nvp_process_field field)
{
    return (unsigned int)field < NVP_PROCESS_FIELD_COUNT ? &fields[field] : NULL;
}

const nvp_process_field_info *nvp_process_field_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < NVP_PROCESS_FIELD_COUNT; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

/* As nvidia-smi writes them: what computes through MPS computes. */
const char *nvp_process_type_text(uint64_t type)
{
    static const char *const texts[] = { "", "C", "G", "C+G", "M+C", "M+C", "M+C+G", "M+C+G" };
    return texts[type & (NVP_PROCESS_TYPE_COMPUTE | NVP_PROCESS_TYPE_GRAPHICS | NVP_PROCESS_TYPE_MPS)];
}
