/* The version of the library. */
#include <nvpulse/base.h>

const char *nvp_version(void)
{
    return NVP_VERSION;
}
