/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What libFuzzer offers to a mutator; the compiler brings the library and no header of it.
 */
#ifndef EAVES_FUZZER_H
#define EAVES_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/** Changes `size` bytes of a buffer that has room for `room`, and returns the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

#endif
