/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A launch touches nearly all pages of the command's variables, and most of them twice: first it reads that a value is not
 * made yet, then it writes the value. Each of these faults takes as long as mapping three pages together.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Where the C library's variables begin, which are the first, and where those of Swift end: Baselines/launch.ld says that.
 * Other programs than the command have no such place. */
extern char __data_start[] __attribute__((weak));
extern char eaves_variables_end[] __attribute__((weak));

__attribute__((constructor)) static void map_variables(void) {
    if (!__data_start || !eaves_variables_end) return;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = (uintptr_t)__data_start & -page;
    /* A kernel that does not know this maps each page when it is touched. */
    madvise((void *)start, (uintptr_t)eaves_variables_end - start, MADV_POPULATE_WRITE);
}
