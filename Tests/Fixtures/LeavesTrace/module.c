/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Leaves a file behind as soon as any of its code runs, which is when it is loaded. The command line
 * of the compiler says what is wrong with it; without that, nothing is.
 */
#include <fcntl.h>
#include <unistd.h>

#include "eaves.h"

#ifndef TAG
#define TAG "\"abi\":1"
#endif

EAVES_MODULE_NOTE("{\"type\":\"eaves\",\"name\":\"leaves-trace\",\"version\":\"1.0.0\","
                  "\"eaves\":{\"id\":\"leaves-trace\",\"version\":\"1.0.0\",\"layer\":\"feature\","
                  "\"features\":[{\"name\":\"traced\"}]," TAG "}}")

__attribute__((constructor)) static void leave_trace(void) {
    close(open("code-ran", O_CREAT | O_WRONLY, 0600));
}

#ifdef DEFINES
char defined __asm__(DEFINES) = 1;
#endif

#ifdef CALLS
extern int CALLS(void);
int call(void) { return CALLS(); }
#endif

#ifdef CALLS_TOO
extern int CALLS_TOO(void);
int call_too(void) { return CALLS_TOO(); }
#endif

static int32_t launch(void *state, const eaves_launch *launch) {
    (void)state, (void)launch;
    return 0;
}

#ifndef NO_ENTRY
int32_t eaves_register(const eaves_host *host) {
    eaves_feature feature = {sizeof feature, "traced", 0, launch, 0};
    return host->register_feature(host, &feature);
}
#endif
