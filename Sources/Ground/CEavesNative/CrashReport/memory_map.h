/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * memory_map.h: the files whose code is mapped, read while the process dies.
 */
#ifndef EAVES_MEMORY_MAP_H
#define EAVES_MEMORY_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A module that was announced before it was loaded. Never freed. */
typedef struct watched_module {
    struct watched_module *next;
    const char *id, *path, *file_name, *mapped_name, *log_entry;
    uint64_t device, inode;
    /** Whether it is an interface module, whose code works for the module that calls it. */
    bool is_interface;
    /** The number of the generation; 0 while it has none. */
    _Atomic uint64_t generation;
} watched_module;

/** Returns the module that was announced last. The others follow as its `next`. */
watched_module *newest_module(void);

/** Returns the module that was announced last with this file; NULL if there is none.
 *
 *  - file: the path that the dynamic linker gets. */
watched_module *module_at(const char *file);

/** A mapped range of code. */
typedef struct code_range {
    uint64_t start, end;
    /** The offset of the range in its file. */
    uint64_t offset;
    /** The path of the file, zero-terminated. */
    const char *path;
    /** The module that it belongs to; NULL if it is not part of an announced module. */
    const watched_module *module;
    /** Whether the code is part of the program itself. */
    bool is_program;
} code_range;

/** The memory in which an announced module is mapped, from its first range to its last one. */
typedef struct module_extent {
    uint64_t start, end;
    const watched_module *module;
} module_extent;

typedef struct memory_map {
    size_t count;
    /** The ranges in the order of their addresses. */
    code_range ranges[4096];
    size_t extent_count;
    module_extent extents[1024];
    size_t used_text;
    char text[512 * 1024];
} memory_map;

/** Reads the present map. */
void read_memory_map(memory_map *map);

/** Returns the announced module in whose memory an address is, or NULL. */
const watched_module *module_around(const memory_map *map, uint64_t address);

/** Returns the range that contains an address, or NULL. */
const code_range *range_of(const memory_map *map, uint64_t address);

#endif
