/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Does what it is told to at compile time, wherever a module can do anything.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../note.h"

NOTE("misbehaves-in-c", "", FEATURE("misbehave-in-c"))

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void construct(void) { CONSTRUCTOR; }
#endif

#ifdef DESTRUCTOR
__attribute__((destructor)) static void destruct(void) { DESTRUCTOR; }
#endif

static int32_t launch(void *state, const eaves_launch *launch) {
#ifdef LAUNCH
    LAUNCH;
#endif
    return (int32_t)write(launch->output, "usage\n", 6) - 6;
}

int32_t eaves_register(const eaves_host *host) {
    eaves_feature feature = {sizeof feature, "misbehave-in-c", 0, launch, 0};
#ifdef REGISTER
    REGISTER;
#endif
    return host->register_feature(host, &feature);
}
