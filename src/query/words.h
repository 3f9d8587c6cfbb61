/*
 * The arguments of an NVML function as words, one for each: numbers as they are, pointers as uintptr_t.
 */
#ifndef NVP_QUERY_WORDS_H
#define NVP_QUERY_WORDS_H

#include <stdint.h>

#define NVP__WORD(argument) (uint64_t)(uintptr_t)(argument)
#define NVP__WORDS_1(a) NVP__WORD(a)
#define NVP__WORDS_2(a, b) NVP__WORD(a), NVP__WORD(b)
#define NVP__WORDS_3(a, b, c) NVP__WORD(a), NVP__WORD(b), NVP__WORD(c)
#define NVP__WORDS_4(a, b, c, d) NVP__WORDS_2(a, b), NVP__WORDS_2(c, d)
#define NVP__WORDS_5(a, b, c, d, e) NVP__WORDS_4(a, b, c, d), NVP__WORD(e)
#define NVP__WORDS_6(a, b, c, d, e, f) NVP__WORDS_4(a, b, c, d), NVP__WORDS_2(e, f)
#define NVP__WORDS_CHOOSE(a, b, c, d, e, f, chosen, ...) chosen

/** The words, with commas between them; for one argument to six. */
#define NVP__WORDS(...)                                                                                                          \
    NVP__WORDS_CHOOSE(__VA_ARGS__, NVP__WORDS_6, NVP__WORDS_5, NVP__WORDS_4, NVP__WORDS_3, NVP__WORDS_2, NVP__WORDS_1, )         \
    (__VA_ARGS__)

#endif
