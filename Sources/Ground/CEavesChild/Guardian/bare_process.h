/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * bare_process.h: a process that runs nothing but the functions of this room: a copy of its caller, or one that has its
 * caller's memory. Both only make system calls and allocate nothing: a copy has none of the threads that may hold locks,
 * and where the memory is shared, all other functions would act on the caller's.
 */
#ifndef EAVES_BARE_PROCESS_H
#define EAVES_BARE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/** Copies the calling process, with further flags of clone, and with all signals blocked, so that no handler of the
 *  caller runs in the copy. The C library's fork would run handlers of other code. The caller gets its own mask again,
 *  and errno as the copying left it. Returns as fork does. */
pid_t copy_process(unsigned long flags);

/** A place for what a process on shared memory has to itself: its stack, and what a thread pointer points to. */
typedef struct own_memory {
    _Alignas(64) char stack[32 * 1024];
    /** Nothing reads it but a check of the stack that a compiler may have added. */
    _Alignas(64) char thread[2 * 1024];
} own_memory;

/** Starts a process on the memory of the calling one, with further flags of clone. It has the signals blocked that its
 *  caller has. The function must not return. Returns the process, or an error as its negative number. */
pid_t share_memory(unsigned long flags, own_memory *own, void (*function)(void *argument), void *argument);

/** Takes away all handlers of signals that the process was made with. */
void reset_handlers(void);

/** Takes away the mask of signals that it was made with as well. */
void reset_signals(void);

/** Gives at most `most_kept` descriptors the numbers from 0 on, and closes all others. */
void keep_descriptors(const int *wanted, int count);
enum { most_kept = 8 };

void close_descriptors_from(int first);

#endif
