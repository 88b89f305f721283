/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Has the note that NOTE_TEXT is; the command line of the compiler sets it.
 */
#include "eaves.h"

EAVES_MODULE_NOTE(NOTE_TEXT)

int32_t eaves_register(const eaves_host *host) {
    host->fail(host, "code of a module ran whose note cannot be read");
    return 1;
}
