// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

#include "sha256_blocks.h"

#if !defined(__x86_64__) && !defined(__aarch64__)

bool eaves_sha256_has_instructions(void) { return false; }

void eaves_sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    (void)state;
    (void)blocks;
    (void)count;
}

#endif
