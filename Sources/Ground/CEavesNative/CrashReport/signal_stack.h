/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * signal_stack.h: a second stack for each thread, on which handlers of signals run when the thread's own is used up.
 *
 * The program's pthread_create takes the place of the C library's for all libraries and modules of the process, so that
 * threads of Swift's pool, and those that a module starts, have one too.
 */
#ifndef EAVES_SIGNAL_STACK_H
#define EAVES_SIGNAL_STACK_H

/** Gives the calling thread a stack for handlers until it ends, unless it has one. */
void use_signal_stack(void);

#endif
