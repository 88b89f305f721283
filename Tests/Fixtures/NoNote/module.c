/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Has an eaves_register and does not say what it is.
 */
#include "eaves.h"

int32_t eaves_register(const eaves_host *host) {
    host->fail(host, "code of a module ran that does not say what it is");
    return 1;
}
