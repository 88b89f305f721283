/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tells of the process that it is launched in: its thread, and libraries that are not for nothing.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../note.h"

NOTE("tells-of-process", "", FEATURE("process"))

static int maps(const char *library) {
    char line[4096];
    int found = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    if (!file) return -1;
    while (fgets(line, sizeof line, file)) found |= strstr(line, library) != NULL;
    fclose(file);
    return found;
}

static int32_t launch(void *state, const eaves_launch *launch) {
    static const char *const libraries[] = {
        "libswiftCore", "libswift_RegexParser", "libswift_StringProcessing", "libswiftDispatch",
        "libFoundation",
    };
    (void)state;
    dprintf(launch->output, "first thread: %d\n", getpid() == gettid());
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; ++i) {
        dprintf(launch->output, "%s: %d\n", libraries[i], maps(libraries[i]));
    }
    return 0;
}

int32_t eaves_register(const eaves_host *host) {
    eaves_feature feature = {sizeof feature, "process", 0, launch, 0};
    return host->register_feature(host, &feature);
}
