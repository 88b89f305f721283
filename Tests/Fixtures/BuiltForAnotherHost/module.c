/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Built for a host that NOTE_TAG describes; the command line of the compiler sets it.
 */
#include "../note.h"

NOTE_FOR("built-for-another-host", "", FEATURE("foreign"), NOTE_TAG)

int32_t eaves_register(const eaves_host *host) {
    host->fail(host, "code of a module ran that does not fit");
    return 1;
}
