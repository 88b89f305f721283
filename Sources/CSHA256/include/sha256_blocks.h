// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// SHA-256 by the instructions that processors have for it. Only the compression function: padding
// and pieces are EavesSystem's, and so is the way without these instructions.

#ifndef EAVES_SHA256_BLOCKS_H
#define EAVES_SHA256_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether this processor has the instructions. Any thread, at any time.
bool eaves_sha256_has_instructions(void);

// Mixes `count` whole blocks of 64 bytes into a state of 8 words, the first one leading. Only to be
// called where `eaves_sha256_has_instructions` is true: else nothing happens. Keeps no pointer.
void eaves_sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count);

#endif
