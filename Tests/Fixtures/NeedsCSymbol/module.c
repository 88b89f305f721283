/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calls a function that neither the host nor a library has.
 */
#include "../note.h"

NOTE("needs-c-symbol", "", FEATURE("nowhere"))

int32_t function_of_nobody(void);

int32_t eaves_register(const eaves_host *host) { return function_of_nobody(); }
