/*
 * The memory of the viewer's process.
 */
#ifndef NVPULSE_TUI_MEMORY_H
#define NVPULSE_TUI_MEMORY_H

/**
 * Gets at once the memory that the first picture needs, so that its parts do not ask the kernel for one page after another. For all
 * threads; to be called while there is one. It is no error when the kernel or the C library cannot do this: all works, only later.
 */
void tui_memory_prepare(void);

#endif
