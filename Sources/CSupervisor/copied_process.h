/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * copied_process.h: a copy of the calling process that runs nothing but the functions of this room. It makes system
 * calls and allocates nothing, because the threads that may hold locks are not copied.
 */
#ifndef EAVES_COPIED_PROCESS_H
#define EAVES_COPIED_PROCESS_H

#include <sys/types.h>

/** Copies the calling process, with further flags of clone. The C library's fork would run handlers of other code.
 *  Returns as fork does. */
pid_t copy_process(unsigned long flags);

/** Copies the calling process with all signals blocked, so that no handler of the caller runs in the copy. The caller
 *  gets its own mask again, and errno as the copying left it. */
pid_t copy_process_blocked(unsigned long flags);

/** Takes away all handlers of signals that the process was copied with. */
void reset_handlers(void);

/** Takes away the mask of signals that it was copied with as well. */
void reset_signals(void);

/** Gives at most `most_kept` descriptors the numbers from 0 on, and closes all others. */
void keep_descriptors(const int *wanted, int count);
enum { most_kept = 8 };

void close_descriptors_from(int first);

#endif
