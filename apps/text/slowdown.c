/*
 * A slowdown by the hardware comes with what has caused it, on drivers that know; then the cause says enough.
 */
#include <text/slowdown.h>

#include <nvpulse/nvml.h>

_Static_assert(TEXT_SLOWDOWN_REASONS ==
                   (nvmlClocksThrottleReasonHwSlowdown | nvmlClocksEventReasonSwThermalSlowdown |
                    nvmlClocksThrottleReasonHwThermalSlowdown | nvmlClocksThrottleReasonHwPowerBrakeSlowdown),
               "the reasons have words here");

const char *text_slowdown(uint64_t reasons)
{
    static const char *const words[] = {
        "",
        "heat (hardware)",
        "power brake",
        "heat (hardware), power brake",
        "heat (driver)",
        "heat (hardware and driver)",
        "power brake, heat (driver)",
        "heat (hardware and driver), power brake",
    };
    unsigned int known = (reasons & nvmlClocksThrottleReasonHwThermalSlowdown) != 0 ? 1 : 0;
    known |= (reasons & nvmlClocksThrottleReasonHwPowerBrakeSlowdown) != 0 ? 2 : 0;
    known |= (reasons & nvmlClocksEventReasonSwThermalSlowdown) != 0 ? 4 : 0;
    return known == 0 && (reasons & nvmlClocksThrottleReasonHwSlowdown) != 0 ? "hardware slowdown" : words[known];
}
