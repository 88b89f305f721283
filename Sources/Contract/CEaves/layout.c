// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Asserts the layout of the ABI's structures on 64-bit machines, as it was first published. Never
// change a line. A new field gets a new line, and stands behind the last field of its structure.

#include "eaves.h"

#include <stddef.h>

_Static_assert(offsetof(eaves_launch, size) == 0, "eaves_launch.size moved");
_Static_assert(offsetof(eaves_launch, argc) == 4, "eaves_launch.argc moved");
_Static_assert(offsetof(eaves_launch, argv) == 8, "eaves_launch.argv moved");
_Static_assert(offsetof(eaves_launch, input) == 16, "eaves_launch.input moved");
_Static_assert(offsetof(eaves_launch, output) == 20, "eaves_launch.output moved");
_Static_assert(offsetof(eaves_launch, error) == 24, "eaves_launch.error moved");

_Static_assert(offsetof(eaves_feature, size) == 0, "eaves_feature.size moved");
_Static_assert(offsetof(eaves_feature, name) == 8, "eaves_feature.name moved");
_Static_assert(offsetof(eaves_feature, state) == 16, "eaves_feature.state moved");
_Static_assert(offsetof(eaves_feature, launch) == 24, "eaves_feature.launch moved");
_Static_assert(offsetof(eaves_feature, destroy) == 32, "eaves_feature.destroy moved");

_Static_assert(offsetof(eaves_host, abi_version) == 0, "eaves_host.abi_version moved");
_Static_assert(offsetof(eaves_host, size) == 4, "eaves_host.size moved");
_Static_assert(offsetof(eaves_host, registrar) == 8, "eaves_host.registrar moved");
_Static_assert(offsetof(eaves_host, register_feature) == 16, "eaves_host.register_feature moved");
_Static_assert(offsetof(eaves_host, fail) == 24, "eaves_host.fail moved");
_Static_assert(offsetof(eaves_host, log) == 32, "eaves_host.log moved");
_Static_assert(offsetof(eaves_host, settings) == 40, "eaves_host.settings moved");
_Static_assert(offsetof(eaves_host, path) == 48, "eaves_host.path moved");
_Static_assert(offsetof(eaves_host, register_lifecycle) == 56,
               "eaves_host.register_lifecycle moved");

_Static_assert(offsetof(eaves_answer, size) == 0, "eaves_answer.size moved");
_Static_assert(offsetof(eaves_answer, fail) == 8, "eaves_answer.fail moved");
_Static_assert(offsetof(eaves_answer, write) == 16, "eaves_answer.write moved");

_Static_assert(offsetof(eaves_lifecycle, size) == 0, "eaves_lifecycle.size moved");
_Static_assert(offsetof(eaves_lifecycle, state) == 8, "eaves_lifecycle.state moved");
_Static_assert(offsetof(eaves_lifecycle, start) == 16, "eaves_lifecycle.start moved");
_Static_assert(offsetof(eaves_lifecycle, stop) == 24, "eaves_lifecycle.stop moved");
_Static_assert(offsetof(eaves_lifecycle, is_healthy) == 32, "eaves_lifecycle.is_healthy moved");
_Static_assert(offsetof(eaves_lifecycle, snapshot) == 40, "eaves_lifecycle.snapshot moved");
_Static_assert(offsetof(eaves_lifecycle, restore) == 48, "eaves_lifecycle.restore moved");
_Static_assert(offsetof(eaves_lifecycle, destroy) == 56, "eaves_lifecycle.destroy moved");
