/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Returns an error and says nothing.
 */
#include "../note.h"

NOTE("refuses-silently", "", FEATURE("silent"))

int32_t eaves_register(const eaves_host *host) { return -7; }
