/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a module's note says, as somebody writes it who wants a list of modules and nothing else:
 * what should not be there is not looked for, and what is wrong is not told.
 */
#ifndef MODULE_H
#define MODULE_H

#include <stddef.h>

enum { max_names = 8 };

typedef struct {
    const char *text;
    size_t length;
} text;

typedef struct {
    char file[64];
    text id, version;
    int feature_count, provision_count, need_count;
    text features[max_names], summaries[max_names];
    text provisions[max_names], needs[max_names];
} module;

/** Reads the first page of a file relative to a folder, and finds the note; 0 if there is none.
 *  The module's texts point into the page. */
int module_read(module *module, int folder, const char *file, char page[4096]);

#endif
