/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A module of which tests make a thousand, with another number for each '0000' of the built file.
 */
#include <stdio.h>

#include "../note.h"

NOTE("numbered-0000", "", FEATURE("feature-0000"))

static int32_t launch(void *state, const eaves_launch *launch) {
    (void)state;
    dprintf(launch->output, "this is 0000\n");
    return 0;
}

int32_t eaves_register(const eaves_host *host) {
    eaves_feature feature = {sizeof feature, "feature-0000", 0, launch, 0};
    return host->register_feature(host, &feature);
}
