/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ERRAND_H
#define ERRAND_H

/** Begins to call `work` with `context` on a thread of its own, on any processor that the process may
 *  use but the one this is called on: some systems put a new thread on the processor of the old one,
 *  and there it waits until that one does. Nobody can join it.
 *
 *  @return 0, or the number of an error: there is no such processor, or no thread to be had. Then
 *  nothing was begun. */
int errand_begin(void (*work)(void *context), void *context);

#endif
