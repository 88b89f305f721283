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
enum { landlock_scope_abstract_socket = 1 << 0, landlock_scope_signal = 1 << 1 };

/** Makes rules that refuse these rights, as far as the kernel knows them, and allow none. Returns a descriptor, or an
 *  error as its negative number; like the other one, it makes system calls alone. */
int make_rules(struct landlock_rules refused);

/** Makes the rules hold for the calling thread, and closes them. Returns 0, or an error as its negative number. */
int enforce_rules(int rules);

#endif
