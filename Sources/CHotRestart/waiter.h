/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EAVES_WAITER_H
#define EAVES_WAITER_H

#include <sys/types.h>

/* `1:LIFELINE:HOST:NAME` */
#define EAVES_WAITER_VARIABLE "EAVES_WAITER"

/* Waits for a host and its successors, and ends as the last of them ends. */
_Noreturn void eaves_wait(pid_t host, int lifeline);

#endif
