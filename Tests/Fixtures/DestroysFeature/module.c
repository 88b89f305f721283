/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Registers a feature with a state that has to be destroyed, and then fails.
 */
#include <stdio.h>

#include "../note.h"

NOTE("destroys-feature", "", FEATURE("mortal"))

static int state = 5;

static int32_t launch(void *given, const eaves_launch *launch) { return 0; }

static void destroy(void *given) { dprintf(2, "destroyed %d\n", *(int *)given); }

int32_t eaves_register(const eaves_host *host) {
    eaves_feature feature = {sizeof feature, "mortal", &state, launch, destroy};
    host->register_feature(host, &feature);
    host->fail(host, "no more");
    return 1;
}
