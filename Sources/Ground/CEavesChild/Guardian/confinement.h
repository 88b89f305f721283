/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * confinement.h: what the calling process may do from now on.
 */
#ifndef EAVES_CONFINEMENT_H
#define EAVES_CONFINEMENT_H

#include "guardian.h"

/** Sets the limits on memory, time and processes.
 *
 *  - processors: how many this machine has. */
void limit(const eaves_guarded_program *asked, long processors);

/** Keeps the process from signalling others. Returns the means that work here. Makes system calls alone, and writes the
 *  filter into memory of this room: for one process at a time on it.
 *
 *  - guardian, caller: the processes that it must not signal; 0 for one that it cannot name. */
unsigned confine(unsigned means, pid_t guardian, pid_t caller);

#endif
