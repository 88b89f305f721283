/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Exports a variable under the name of the entry point.
 */
#define eaves_register declared_by_the_header
#include "../note.h"
#undef eaves_register

NOTE("entry-is-no-function", "", FEATURE("variable"))

int eaves_register = 0;
