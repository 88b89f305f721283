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

/* Passes on what has come for the process and what no thread has taken yet. Whatever threads have taken, their handlers
 * have done with when this returns. */
void eaves_pass_on_pending(void);

/* Lets all other threads rest, each after it has ended the handler of a signal that it has taken. From then on, signals
 * of the process stay pending if the calling thread blocks them. */
void eaves_quieten(void);

/* Lets them go on. */
void eaves_waken(void);

/* Waits for a host and its successors, and ends as the last of them ends. */
_Noreturn void eaves_wait(pid_t host, int lifeline);

#endif
