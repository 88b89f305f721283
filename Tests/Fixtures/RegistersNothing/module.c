/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Declares a feature and does not register it.
 */
#include "../note.h"

NOTE("registers-nothing", "", FEATURE("promised"))

int32_t eaves_register(const eaves_host *host) { return 0; }
