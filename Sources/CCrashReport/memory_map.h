/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * memory_map.h: what is mapped where, read while the process dies.
 */
#ifndef EAVES_MEMORY_MAP_H
#define EAVES_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A module that was named before it was loaded. Never freed. */
typedef struct watched_module {
    struct watched_module *next;
    const char *id, *path, *file_name, *log_entry;
    uint64_t device, inode;
} watched_module;

/** The module named last, with the others behind it. */
watched_module *newest_module(void);

/** Code that is mapped. */
typedef struct code_range {
    uint64_t start, end;
    /** Where it stands in its file. */
    uint64_t offset;
    /** Zero-terminated. */
    const char *path;
    /** Whose it is; NULL if nobody's who was named. */
    const watched_module *module;
    /** Part of the program itself. */
    bool is_program;
} code_range;

typedef struct memory_map {
    size_t count;
    /** In the order of their addresses. */
    code_range ranges[4096];
    size_t used_text;
    char text[512 * 1024];
} memory_map;

/** Reads the map of now. */
void read_memory_map(memory_map *map);

/** The code that an address lies in, or NULL. */
const code_range *range_of(const memory_map *map, uint64_t address);

#endif
