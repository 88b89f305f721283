/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Has a note and no eaves_register.
 */
#include "../note.h"

NOTE("no-entry", "", FEATURE("closed"))

int something_else(void) { return 0; }
