/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Registers what it declares, then says why it fails and returns an error.
 */
#include "../note.h"

NOTE("refuses-with-message", "", FEATURE("reluctant"))

static int32_t launch(void *state, const eaves_launch *launch) { return 0; }

int32_t eaves_register(const eaves_host *host) {
    eaves_feature feature = {sizeof feature, "reluctant", 0, launch, 0};
    host->register_feature(host, &feature);
    host->fail(host, "first thoughts");
    host->fail(host, "the licence has run out");
    return 3;
}
