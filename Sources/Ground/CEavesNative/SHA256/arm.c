// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

#include "sha256_blocks.h"

#if defined(__aarch64__)

#include <arm_neon.h>
#include <sys/auxv.h>

#include "keys.h"

bool eaves_sha256_has_instructions(void)
{
    const unsigned long sha2 = 1ul << 6; // HWCAP_SHA2
    return (getauxval(AT_HWCAP) & sha2) != 0;
}

// Does four rounds at a time. Four vectors hold 16 words of the schedule: each group of four rounds uses
// the oldest vector and replaces it with the words that come 16 words later.
__attribute__((target("sha2")))
void eaves_sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
    for (; count > 0; count -= 1, blocks += 64) {
        const uint32x4_t abcd_before = abcd, efgh_before = efgh;
        uint32x4_t words[4];
        for (int group = 0; group < 4; group += 1)
            words[group] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(blocks + 16 * group)));
        for (int group = 0; group < 16; group += 1) {
            const uint32x4_t now = words[group & 3];
            const uint32x4_t sum = vaddq_u32(now, vld1q_u32(keys + 4 * group));
            const uint32x4_t abcd_now = abcd;
            abcd = vsha256hq_u32(abcd, efgh, sum);
            efgh = vsha256h2q_u32(efgh, abcd_now, sum);
            if (group < 12)
                words[group & 3] = vsha256su1q_u32(
                    vsha256su0q_u32(now, words[(group + 1) & 3]),
                    words[(group + 2) & 3], words[(group + 3) & 3]);
        }
        abcd = vaddq_u32(abcd, abcd_before);
        efgh = vaddq_u32(efgh, efgh_before);
    }
    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}

#endif
