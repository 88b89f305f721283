/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linked to a library that is gone when the module is loaded.
 */
#include "../note.h"

NOTE("needs-ghost-library", "", FEATURE("haunted"))

int32_t ghost(void);

int32_t eaves_register(const eaves_host *host) { return ghost(); }
