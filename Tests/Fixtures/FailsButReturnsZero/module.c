/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Says that it fails, and then returns success.
 */
#include "../note.h"

NOTE("fails-but-returns-zero", "", FEATURE("undecided"))

int32_t eaves_register(const eaves_host *host) {
    host->fail(host, "cannot make up my mind");
    return 0;
}
