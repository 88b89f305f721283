/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * memory_use.h: the memory that processes use together.
 */
#ifndef EAVES_MEMORY_USE_H
#define EAVES_MEMORY_USE_H

#include "descendants.h"

/** The memory of the processes that were found, and of the files that they have open, that are in memory and that have
 *  no name; in bytes. Not for a process that shares its caller's memory: the files are counted in memory of this room. */
uint64_t memory_use(descendants *found);

#endif
