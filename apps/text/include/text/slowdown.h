/*
 * Why the clocks of a GPU are held down although there is work, in words: what the command and the viewer say alike.
 */
#ifndef TEXT_SLOWDOWN_H
#define TEXT_SLOWDOWN_H

#include <stdint.h>

/** Reasons that somebody should look after: heat, the power brake, and other slowdowns by the hardware. A power cap or idleness is usual. */
#define TEXT_SLOWDOWN_REASONS 0xe8u

/** The words for the bits of TEXT_SLOWDOWN_REASONS in a mask of nvmlClocksEventReason: "heat (hardware)". "" when none is set. Static memory. */
const char *text_slowdown(uint64_t reasons);

#endif
