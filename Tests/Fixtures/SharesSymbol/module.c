/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A module with a function that others could be tempted to call.
 */
#include "../note.h"

#ifndef ID
#define ID "shares-symbol"
#endif

NOTE(ID, "", FEATURE("sharing"))

static int32_t launch(void *state, const eaves_launch *launch) {
    (void)state, (void)launch;
    return 0;
}

int shared_function(void) { return 7; }

int32_t eaves_register(const eaves_host *host) {
    eaves_feature feature = {sizeof feature, "sharing", 0, launch, 0};
    return host->register_feature(host, &feature);
}
