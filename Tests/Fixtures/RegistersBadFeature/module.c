/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Registers a feature that cannot be, as FEATURE_FIELDS says; the command line sets it. It does not
 * look at what the host answers.
 */
#include "../note.h"

NOTE("registers-bad-feature", "", FEATURE("bad"))

static int32_t launch(void *state, const eaves_launch *launch) { return 0; }

int32_t eaves_register(const eaves_host *host) {
    eaves_feature feature = {FEATURE_FIELDS};
    host->register_feature(host, &feature);
    return 0;
}
