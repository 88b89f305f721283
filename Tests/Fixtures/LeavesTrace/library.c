/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A library that leaves a file behind when it is loaded.
 */
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void leave_trace(void) {
    close(open("library-ran", O_CREAT | O_WRONLY, 0600));
}

#ifdef CALLS
extern int CALLS(void);
int call_inner(void) { return CALLS(); }
#endif

int FUNCTION(void) { return 0; }
