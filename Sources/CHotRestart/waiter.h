/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EAVES_WAITER_H
#define EAVES_WAITER_H

#include <signal.h>
#include <sys/types.h>

/* `1:LIFELINE:HOST:NAME` */
#define EAVES_WAITER_VARIABLE "EAVES_WAITER"

/* Passes a signal on to the host, unless it has it from the terminal already. */
void eaves_pass_on(const siginfo_t *signal, pid_t host);

/* Waits for a host and its successors, and ends as the last of them ends. */
_Noreturn void eaves_wait(pid_t host, int lifeline);

#endif
