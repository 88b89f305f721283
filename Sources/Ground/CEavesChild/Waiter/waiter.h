/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EAVES_WAITER_H
#define EAVES_WAITER_H

#include "hot_restart.h"

#include <signal.h>

/* `1:WAITER:SOCKET:PREDECESSOR`: the waiter's number, and the descriptors of the two sockets, of which the second one may
 * be -1. A later host finds it before its main begins, and no child of it does. */
#define EAVES_HOST_VARIABLE "EAVES_HOST"

/* Is the waiter from now on. All signals are blocked.
 *
 *  - host, socket: the first host, and the socket to it.
 *  - arguments: those of all hosts.
 *  - mask: the signals that hosts block when they start. */
_Noreturn void eaves_wait(pid_t host, int socket, char **arguments, const sigset_t *mask);

#endif
