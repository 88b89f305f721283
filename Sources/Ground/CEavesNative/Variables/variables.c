/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A launch touches nearly all pages of the command's variables, and most of them twice: it reads that a value is not made
 * yet, and writes the value. One call maps all of them in a third of the time.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where the C library's variables begin, the first of all, and where those of Swift end: Baselines/launch.ld says that, for
 * the command alone. */
extern char __data_start[] __attribute__((weak)), eaves_variables_end[] __attribute__((weak));

__attribute__((constructor)) static void map_variables(void) {
    const uintptr_t start = (uintptr_t)__data_start & -(uintptr_t)sysconf(_SC_PAGESIZE);
    /* MADV_POPULATE_WRITE. A kernel that does not know it maps each page when it is touched. */
    if (start && eaves_variables_end) madvise((void *)start, (uintptr_t)eaves_variables_end - start, 23);
}
