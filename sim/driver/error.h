/*
 * Texts of nvmlReturn_t as the simulated driver gives them.
 */
#ifndef NVPSIM_DRIVER_ERROR_H
#define NVPSIM_DRIVER_ERROR_H

/** The text of a code; "Unknown Error" for one that this driver does not know. */
const char *nvpsim__error_text(int code);

#endif
