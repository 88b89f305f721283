/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * descendants.h: the processes that descend from the calling one.
 */
#ifndef EAVES_DESCENDANTS_H
#define EAVES_DESCENDANTS_H

#include "proc.h"

#include <sys/types.h>

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

#endif
