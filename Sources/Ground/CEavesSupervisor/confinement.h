/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * confinement.h: what the calling process may do from now on.
 */
#ifndef EAVES_CONFINEMENT_H
#define EAVES_CONFINEMENT_H

#include "supervisor.h"

/** Sets the limits on memory, time and processes. */
void limit(const eaves_supervision *supervision);

/** Keeps the process from signalling others. Returns the means that work here.
 *
 *  - supervisor, judge: the processes that it must not signal; 0 for one that it cannot name. */
unsigned confine(unsigned means, pid_t supervisor, pid_t judge);

#endif
