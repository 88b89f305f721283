// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// The compression function of SHA-256, with the processor's instructions for it and without. Padding,
// and messages that come in pieces, are handled in EavesSystem.

#ifndef EAVES_SHA256_BLOCKS_H
#define EAVES_SHA256_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Tells whether this processor has the instructions. May be called on any thread, at any time.
bool eaves_sha256_has_instructions(void);

// Mixes `count` whole blocks of 64 bytes into a state of 8 words, most significant word first, with
// the processor's instructions. Must only be called if `eaves_sha256_has_instructions` returns true.
// Keeps no pointer.
void eaves_sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count);

// Does the same on every processor.
void eaves_sha256_blocks_in_c(uint32_t state[8], const uint8_t *blocks, size_t count);

#endif
