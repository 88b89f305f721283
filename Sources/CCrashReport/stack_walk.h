/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * stack_walk.h: who called whom, found while the process dies.
 */
#ifndef EAVES_STACK_WALK_H
#define EAVES_STACK_WALK_H

#include "memory_map.h"

/** The registers that lead through a stack. */
typedef struct walk_start {
    /** The instruction. */
    uint64_t counter;
    /** The frame that the instruction works in, if its code keeps a frame pointer. */
    uint64_t frame;
    /** The end of the stack that is in use. */
    uint64_t top;
    /** Where the innermost function returns to, on machines that keep it in a register; else 0. */
    uint64_t link;
} walk_start;

/** Code on the way. */
typedef struct walk_frame {
    uint64_t address;
    const code_range *range;
    /** Found by searching the stack for what looks like it, not by the chain of frame pointers. */
    bool is_searched;
} walk_frame;

enum { max_frames = 64 };

/** Follows the frame pointers, which all Swift code keeps. Where the innermost code keeps none, as
 *  the C library's, the stack is searched for whoever called into it. Innermost first; each address but the first one is where a call returns to. */
size_t walk_stack(const memory_map *map, walk_start start, walk_frame frames[max_frames]);

#endif
