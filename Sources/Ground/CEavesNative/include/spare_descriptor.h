/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * spare_descriptor.h: descriptors that the program's own files cannot get.
 */
#ifndef EAVES_SPARE_DESCRIPTOR_H
#define EAVES_SPARE_DESCRIPTOR_H

/**
 * Copies a descriptor to a number above the soft limit, if the lower half of the numbers below it is in use. The limit
 * stays as it is, also for a moment: programs that other threads start would inherit another one.
 *
 * @return the copy, which exec closes; -1 if there is none
 */
int eaves_spare_descriptor(int descriptor);

#endif
