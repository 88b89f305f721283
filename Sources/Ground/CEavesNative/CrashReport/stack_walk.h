/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * stack_walk.h: finds the calls that led to a place in the code, while the process dies.
 *
 * The unwinder of exceptions does the work: it knows the frames of all compiled code. Only one thread may
 * walk at a time, and the handler of SIGSEGV and SIGBUS has to call leave_walk.
 */
#ifndef EAVES_STACK_WALK_H
#define EAVES_STACK_WALK_H

#include "memory_map.h"

#include <ucontext.h>

/** One call on the stack. */
typedef struct walk_frame {
    uint64_t address;
    const code_range *range;
} walk_frame;

enum { max_frames = 64 };

/** Finds the calls that led to the caller of a handler, innermost first. Each address is one that
 *  a call returns to.
 *
 *  - counter: the first address to collect: that of a caller of this function. */
size_t walk_stack(const memory_map *map, uint64_t counter, walk_frame frames[max_frames]);

/** Finds the calls that led to the instruction that a signal has interrupted. The first address is
 *  that of the instruction. If the program called an address without code, the first address is
 *  the one that this call would return to.
 *
 *  - machine: the registers in the signal's context, at the address where the system has put them.
 *    They are changed during the walk and restored after it. */
size_t walk_interrupted(const memory_map *map, mcontext_t *machine,
                        walk_frame frames[max_frames]);

/** Finds the module that gave a program no function for a requirement that was called: the call then went to an
 *  address without code, and a register still points to the table of the module's functions. NULL if there is
 *  none.
 *
 *  - machine: the registers in the signal's context. */
const watched_module *module_without_function(const memory_map *map, const mcontext_t *machine);

/** Whether an address is next to the end of the stack that a signal has interrupted. Where it cannot be used, the stack
 *  is used up. */
bool is_at_stack(const mcontext_t *machine, const void *address);

/** Whether the instruction that a signal has interrupted is code. */
bool is_in_code(const memory_map *map, const mcontext_t *machine);

/** Ends the walk if the calling thread is inside of it; does not return then. A handler of SIGSEGV
 *  and SIGBUS calls it first. */
void leave_walk(void);

#endif
