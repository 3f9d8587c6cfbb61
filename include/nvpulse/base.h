/*
 * What every public header of nvpulse needs: symbol visibility, C++ linkage, the version.
 * Declares no function of NVML and no type of nvpulse.
 */
#ifndef NVPULSE_BASE_H
#define NVPULSE_BASE_H

#define NVP_VERSION_MAJOR 0
#define NVP_VERSION_MINOR 1
#define NVP_VERSION_PATCH 0
/** The version as text, "major.minor.patch". */
#define NVP_VERSION "0.1.0"

#if defined(__GNUC__)
#define NVP_API __attribute__((visibility("default")))
#define NVP_PRINTF(format_at, arguments_at) __attribute__((format(printf, format_at, arguments_at)))
#else
#define NVP_API
#define NVP_PRINTF(format_at, arguments_at)
#endif

#ifdef __cplusplus
#define NVP_BEGIN_DECLS extern "C" {
#define NVP_END_DECLS }
#else
#define NVP_BEGIN_DECLS
#define NVP_END_DECLS
#endif

NVP_BEGIN_DECLS

/**
 * The version of the library that is loaded, as text; NVP_VERSION is that of the header.
 * Static memory. Safe from any thread, in a signal handler and after fork.
 */
NVP_API const char *nvp_version(void);

NVP_END_DECLS

#endif
