/*
 * Names that real libraries export and no header declares: passed on to the library in use, whatever their parameters are.
 * A library that lacks one answers that the function is not found.
 */
#include "shim.h"

#include <stddef.h>
#include <stdint.h>

#include <nvpulse/driver.h>

static nvmlReturn_t not_found(void)
{
    return NVML_ERROR_FUNCTION_NOT_FOUND;
}

__attribute__((used, visibility("hidden"))) void *nvpshim__private_address(const char *name);

void *nvpshim__private_address(const char *name)
{
    void *symbol = nvp_driver_find() == NVP_SUCCESS ? nvp_symbol(name) : NULL;
    return symbol != NULL ? symbol : (void *)(uintptr_t)not_found;
}

/* Looks the address up with the registers that hold arguments kept, and jumps there: the real function sees the caller's own call. */
#if defined(__x86_64__)
#define PASS_ON(name)                                                                                                            \
    __asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name ":\n"                                                   \
            "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\n"                                        \
            "lea name_of_" #name "(%rip), %rdi\ncall nvpshim__private_address\nmov %rax, %r11\n"                                 \
            "pop %rax\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\njmp *%r11\n"                                    \
            ".size " #name ", . - " #name "\n.section .rodata\nname_of_" #name ": .string \"" #name "\"\n.text\n")
#elif defined(__aarch64__)
#define PASS_ON(name)                                                                                                            \
    __asm__(".text\n.globl " #name "\n.type " #name ",%function\n" #name ":\n"                                                   \
            "stp x29, x30, [sp, #-80]!\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\n"                   \
            "stp x6, x7, [sp, #64]\nadrp x0, name_of_" #name "\nadd x0, x0, :lo12:name_of_" #name "\n"                           \
            "bl nvpshim__private_address\nmov x16, x0\nldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\n"                           \
            "ldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\nldp x29, x30, [sp], #80\nbr x16\n"                                    \
            ".size " #name ", . - " #name "\n.section .rodata\nname_of_" #name ": .string \"" #name "\"\n.text\n")
#else
#error "say how a call is passed on here"
#endif

PASS_ON(nvmlInternalGetExportTable);
PASS_ON(nvmlRetry_NvRmControl);
