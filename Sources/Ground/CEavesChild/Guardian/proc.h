/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * proc.h: reads what /proc tells of processes, with system calls alone and in memory that the caller gives.
 */
#ifndef EAVES_PROC_H
#define EAVES_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Adds a text or a number to a path, which ends at `end`. Returns its new end. */
char *add_text(char *end, const char *text);
char *add_number(char *end, long number);

/** Reads a short file as text. Returns false if it cannot. */
bool read_text(const char *path, char *text, size_t size);

/** Reads a number, and moves the text behind it. Returns 0 if there is none. */
long next_number(const char **text);

/** The entries of a folder that were read last. */
typedef struct proc_entries {
    _Alignas(8) char bytes[16 * 1024];
} proc_entries;

/** Calls a function with the name of each entry that is not hidden. */
void for_each_entry(const char *path, proc_entries *entries,
                    void (*body)(const char *path, const char *name, void *context), void *context);

#endif
