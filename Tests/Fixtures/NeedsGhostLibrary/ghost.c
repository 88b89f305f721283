/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The library itself.
 */
int ghost(void) { return 0; }
