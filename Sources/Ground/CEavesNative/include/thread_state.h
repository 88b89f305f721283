/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * thread_state.h: how a thread computes with floating-point numbers. A constructor that `-ffast-math` links in makes tiny
 * numbers 0 on the thread that loads it, also for the code that runs there later.
 */
#ifndef EAVES_THREAD_STATE_H
#define EAVES_THREAD_STATE_H

#include <stdint.h>

/** Returns the rounding, the precision, the traps, and whether tiny numbers are 0. Takes some nanoseconds. */
static inline uint64_t eaves_arithmetic(void) {
#ifdef __x86_64__
    enum { flags = 0x3f };
    uint32_t vectors;
    uint16_t stack;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(vectors), "=m"(stack));
    return (uint64_t)stack << 32 | (vectors & ~(uint32_t)flags);
#else
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
#endif
}

/** Lets the calling thread compute as it did before. */
static inline void eaves_set_arithmetic(uint64_t earlier) {
    if (__builtin_expect(eaves_arithmetic() == earlier, 1)) return;
#ifdef __x86_64__
    uint32_t vectors = (uint32_t)earlier;
    uint16_t stack = (uint16_t)(earlier >> 32);
    /* A flag that is set would trap at once if the earlier state traps. */
    __asm__ volatile("ldmxcsr %0\n\tfnclex\n\tfldcw %1" : : "m"(vectors), "m"(stack));
#else
    __asm__ volatile("msr fpcr, %0" : : "r"(earlier));
#endif
}

#endif
