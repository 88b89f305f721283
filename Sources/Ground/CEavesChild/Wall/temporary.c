/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C library's tmpfile knows /tmp alone, which a wall closes. Modules find the symbols of the program before those of
 * the C library: where /tmp is closed, theirs is a file of the folder that the process has for its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((visibility("default"))) FILE *tmpfile(void) {
    FILE *(*usual)(void) = (FILE * (*)(void)) dlsym(RTLD_NEXT, "tmpfile");
    FILE *made = usual ? usual() : NULL;
    const char *folder = getenv("TMPDIR");
    if (made || errno != EACCES || !folder) return made;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/XXXXXX", folder);
    int file = mkstemp(path);
    if (file < 0) return NULL;
    unlink(path);
    made = fdopen(file, "w+");
    if (!made) close(file);
    return made;
}

__attribute__((visibility("default"))) FILE *tmpfile64(void) { return tmpfile(); }
