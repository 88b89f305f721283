/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * descendants.h: the processes that descend from the calling one.
 */
#ifndef EAVES_DESCENDANTS_H
#define EAVES_DESCENDANTS_H

#include <stdint.h>
#include <sys/types.h>

enum { most_descendants = 4096 };

/** The descendants of the calling process, those that have ended and were not waited for included. */
typedef struct descendants {
    unsigned count;
    /** Their identifiers in the PID namespace of /proc. */
    pid_t processes[most_descendants];
    /** The memory that all of them use together, in bytes. */
    uint64_t memory;
} descendants;

/** Looks for all descendants. There are none if /proc does not tell. */
void find_descendants(descendants *found);

/** Looks for all descendants, and sends a signal to each of them. */
void signal_descendants(descendants *found, int number);

/** Kills all descendants that are found. They are stopped first, so that none starts another meanwhile; those that one
 *  has started before are found in the next round. */
void kill_descendants(descendants *found);

/** Adds the memory of the files that they have open, that are in memory and that have no name. It takes longer than
 *  finding the processes, so that whoever is about to end them does without. */
void add_memory_files(descendants *found);

#endif
