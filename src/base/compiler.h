/*
 * The few compiler features that the library relies on, under one name each.
 */
#ifndef NVP_BASE_COMPILER_H
#define NVP_BASE_COMPILER_H

#define NVP__LIKELY(condition) __builtin_expect(!!(condition), 1)
#define NVP__UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define NVP__INLINE inline __attribute__((always_inline))
/** Out of the common path, but not to be made slow: failing calls and later sessions are real work, too. */
#define NVP__APART __attribute__((noinline))
#define NVP__COLD __attribute__((cold, noinline))
/** Of this library alone: reached without the detour over the table of addresses that a symbol of another library would need. */
#define NVP__HIDDEN __attribute__((visibility("hidden")))
#define NVP__CACHE_LINE 64
#define NVP__COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
/** The variable stands in memory from here on: it need not be kept, or saved, anywhere else. */
#define NVP__IN_MEMORY(variable) __asm__ volatile("" ::"m"(variable))
/** Keeps the compiler, not the processor, from moving memory accesses across. */
#define NVP__COMPILER_BARRIER() __asm__ volatile("" ::: "memory")

#endif
