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
#include <sys/types.h>

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

enum { most_descendants = 4096 };

/** The descendants of the calling process, those that have ended and were not waited for included. */
typedef struct descendants {
    unsigned count;
    /** Their identifiers in the PID namespace of /proc. */
    pid_t processes[most_descendants];
    /** Where files and folders of /proc are read. */
    proc_entries entries;
    char text[64 * 1024];
} descendants;

/** Looks for all descendants. There are none if /proc does not tell. */
void find_descendants(descendants *found);

/** Looks for all descendants, and sends a signal to each of them. */
void signal_descendants(descendants *found, int number);

/** Kills all descendants that are found. They are stopped first, so that none starts another meanwhile; those that one
 *  has started before are found in the next round. */
void kill_descendants(descendants *found);

/** The memory of the processes that were found, and of the files that they have open, that are in memory and that have
 *  no name; in bytes. Not for a process that shares its caller's memory: the files are counted in memory of this room. */
uint64_t memory_use(descendants *found);

#endif
