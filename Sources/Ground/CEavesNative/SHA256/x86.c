// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

#include "sha256_blocks.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#include "keys.h"

bool eaves_sha256_has_instructions(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
    const unsigned ssse3 = 1u << 9, sse41 = 1u << 19;
    if ((c & ssse3) == 0 || (c & sse41) == 0) return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    const unsigned sha = 1u << 29;
    return (b & sha) != 0;
}

// The instructions take the state as ABEF and CDGH, the first letter in the highest lane, and do two
// rounds at a time. Four vectors hold 16 words of the schedule: each group of four rounds uses the
// oldest vector and replaces it with the words that come 16 words later.
__attribute__((target("sha,sse4.1,ssse3")))
void eaves_sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    __m128i dcba = _mm_loadu_si128((const __m128i *)state);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
    dcba = _mm_shuffle_epi32(dcba, 0xb1);
    hgfe = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(dcba, hgfe, 8);
    __m128i cdgh = _mm_blend_epi16(hgfe, dcba, 0xf0);

    for (; count > 0; count -= 1, blocks += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i words[4];
        for (int group = 0; group < 4; group += 1)
            words[group] = _mm_shuffle_epi8(
                _mm_loadu_si128((const __m128i *)(blocks + 16 * group)), swap);
#pragma clang loop unroll(full)
        for (int group = 0; group < 16; group += 1) {
            const __m128i now = words[group & 3];
            __m128i sum = _mm_add_epi32(now, _mm_load_si128((const __m128i *)(keys + 4 * group)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            sum = _mm_shuffle_epi32(sum, 0x0e);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, sum);
            if (group < 12) {
                const __m128i next = words[(group + 1) & 3];
                const __m128i third = words[(group + 2) & 3], last = words[(group + 3) & 3];
                __m128i later = _mm_sha256msg1_epu32(now, next);
                later = _mm_add_epi32(later, _mm_alignr_epi8(last, third, 4));
                words[group & 3] = _mm_sha256msg2_epu32(later, last);
            }
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }

    __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#endif
