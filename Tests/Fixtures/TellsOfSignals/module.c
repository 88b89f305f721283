/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loaded before the command: a handler that was there first, as Swift's own backtrace is.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void tell(int number, siginfo_t *info, void *context) {
    char text[128];
    int length = snprintf(text, sizeof text, "former handler: signal %d, code %d, address %p\n",
                          number, info->si_code, info->si_addr);
    if (write(2, text, length) < 0) _exit(1);
    _exit(42);
}

__attribute__((constructor)) static void install(void) {
    struct sigaction action = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, 0);
}
