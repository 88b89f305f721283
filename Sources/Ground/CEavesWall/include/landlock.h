/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * landlock.h: the system calls of Landlock and what they take, as in <linux/landlock.h>, which older systems have
 * without the later parts.
 */
#ifndef EAVES_LANDLOCK_H
#define EAVES_LANDLOCK_H

#include <stdint.h>

struct landlock_rules {
    uint64_t files, network, scoped;
};

enum { create_ruleset = 444, add_rule = 445, restrict_self = 446 };
enum { landlock_version = 1 };
enum { first_abi_with_network = 4, first_abi_with_scope = 6 };
enum { landlock_scope_abstract_socket = 1 << 0, landlock_scope_signal = 1 << 1 };

#endif
