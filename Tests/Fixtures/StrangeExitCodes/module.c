/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Features whose exit codes are none: beyond 255, and negative.
 */
#include "../note.h"

NOTE("strange-exit-codes", "", FEATURE("beyond") "," FEATURE("below"))

static int32_t beyond(void *state, const eaves_launch *launch) { return 256; }
static int32_t below(void *state, const eaves_launch *launch) { return -1; }

int32_t eaves_register(const eaves_host *host) {
    eaves_feature features[] = {{sizeof features[0], "beyond", 0, beyond, 0},
                                {sizeof features[0], "below", 0, below, 0}};
    return host->register_feature(host, &features[0]) + host->register_feature(host, &features[1]);
}
