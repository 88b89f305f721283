// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

#include "sha256_blocks.h"

#include "keys.h"

static inline uint32_t rotated(uint32_t word, int count)
{
    return word >> count | word << (32 - count);
}

// The next word of the schedule takes the place of the one 16 words before it.
static inline uint32_t next(uint32_t words[16], int index)
{
    const uint32_t early = words[(index + 1) & 15], late = words[(index + 14) & 15];
    const uint32_t low = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3;
    const uint32_t high = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10;
    return words[index & 15] += low + words[(index + 9) & 15] + high;
}

void eaves_sha256_blocks_in_c(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    for (; count > 0; count -= 1, blocks += 64) {
        uint32_t words[16];
        for (int index = 0; index < 16; index += 1) {
            const uint8_t *byte = blocks + 4 * index;
            words[index] = (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16
                           | (uint32_t)byte[2] << 8 | byte[3];
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
#pragma clang loop unroll(full)
        for (int round = 0; round < 64; round += 1) {
            const uint32_t word = round < 16 ? words[round] : next(words, round);
            const uint32_t choice = g ^ (e & (f ^ g));
            const uint32_t majority = (a & b) | (c & (a | b));
            const uint32_t first =
                h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + keys[round] + word;
            const uint32_t second =
                (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority;
            h = g, g = f, f = e, e = d + first;
            d = c, c = b, b = a, a = first + second;
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    }
}

#if !defined(__x86_64__) && !defined(__aarch64__)

bool eaves_sha256_has_instructions(void) { return false; }

void eaves_sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    eaves_sha256_blocks_in_c(state, blocks, count);
}

#endif
