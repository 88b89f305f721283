/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The function that libFuzzer offers to mutators. The compiler comes with the library, but without a header.
 */
#ifndef EAVES_FUZZER_H
#define EAVES_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/** Changes `size` bytes of a buffer that has room for `room`, and returns the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

#endif
