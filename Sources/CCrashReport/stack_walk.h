/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * stack_walk.h: who called whom, found while the process dies.
 *
 * The unwinder that exceptions have does it, which knows the frames of all code that a compiler made.
 * One thread at a time, and with a handler of SIGSEGV and SIGBUS that calls leave_walk.
 */
#ifndef EAVES_STACK_WALK_H
#define EAVES_STACK_WALK_H

#include "memory_map.h"

#include <ucontext.h>

/** Code on the way. */
typedef struct walk_frame {
    uint64_t address;
    const code_range *range;
} walk_frame;

enum { max_frames = 64 };

/** The way to a handler's caller. Innermost first; each address is where a call returns to.
 *
 *  - counter: the first address to take, which is above the caller on the stack. */
size_t walk_stack(const memory_map *map, uint64_t counter, walk_frame frames[max_frames]);

/** The way to where a signal came. The first address is that of the instruction; after a call to where
 *  no code is, where that call would return to.
 *
 *  - machine: the signal's own, in the place where the system left it. Changed in between. */
size_t walk_interrupted(const memory_map *map, mcontext_t *machine,
                        walk_frame frames[max_frames]);

/** To be called first by who handles a fault: if it is the walk's own, that ends there, and this does
 *  not return. */
void leave_walk(void);

#endif
