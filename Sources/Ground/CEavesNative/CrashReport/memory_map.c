/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "memory_map.h"

#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char deleted[] = " (deleted)";

static uint64_t number(const char **text, int base) {
    uint64_t value = 0;
    for (;; ++*text) {
        char digit = **text;
        int worth = digit >= '0' && digit <= '9'   ? digit - '0'
                    : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                                   : base;
        if (worth >= base) return value;
        value = value * base + worth;
    }
}

static void skip(const char **text, char separator) {
    if (**text == separator) ++*text;
}

watched_module *module_at(const char *file) {
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    /* The one that was announced last is usually the one. */
    watched_module *module = newest_module();
    while (module && strcmp(module->file_name, name) != 0) module = module->next;
    return module;
}

/* Finds the module of a mapped file: by the inode, or by the name, because some file systems that lie over
 * others show another inode here than stat does. */
static const watched_module *module_of(const char *path, uint64_t device, uint64_t inode) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name), tail = sizeof deleted - 1;
    if (length > tail && strcmp(name + length - tail, deleted) == 0) length -= tail;
    const watched_module *module = newest_module();
    while (module && (module->inode != inode || module->device != device)) module = module->next;
    if (module) return module;
    for (module = newest_module(); module; module = module->next) {
        if (strncmp(module->mapped_name, name, length) == 0 && !module->mapped_name[length]) break;
    }
    return module;
}

/* Takes note of a range of a module. The ranges of a file follow each other. */
static void extend(memory_map *map, const watched_module *module, uint64_t start, uint64_t end) {
    if (map->extent_count) {
        module_extent *last = &map->extents[map->extent_count - 1];
        if (last->module == module) {
            last->end = end;
            return;
        }
    }
    if (map->extent_count == sizeof map->extents / sizeof map->extents[0]) return;
    map->extents[map->extent_count++] = (module_extent){start, end, module};
}

const watched_module *module_around(const memory_map *map, uint64_t address) {
    for (size_t index = 0; index < map->extent_count; ++index) {
        const module_extent *extent = &map->extents[index];
        if (extent->start <= address && address < extent->end) return extent->module;
    }
    return NULL;
}

/* Reads a line of the form START-END PERMISSIONS OFFSET MAJOR:MINOR INODE   PATH. */
static void take_line(memory_map *map, const char *line) {
    uint64_t start = number(&line, 16);
    skip(&line, '-');
    uint64_t end = number(&line, 16);
    skip(&line, ' ');
    if (strnlen(line, 4) < 4) return;
    bool is_code = line[0] == 'r' && line[2] == 'x';
    line += 4;
    skip(&line, ' ');
    uint64_t offset = number(&line, 16);
    skip(&line, ' ');
    uint64_t major = number(&line, 16);
    skip(&line, ':');
    uint64_t minor = number(&line, 16);
    skip(&line, ' ');
    uint64_t inode = number(&line, 10);
    while (*line == ' ') ++line;

    const watched_module *module = module_of(line, makedev(major, minor), inode);
    if (module) extend(map, module, start, end);
    size_t length = strlen(line) + 1;
    if (!is_code || map->count == sizeof map->ranges / sizeof map->ranges[0]) return;
    if (length > sizeof map->text - map->used_text) return;
    char *path = map->text + map->used_text;
    memcpy(path, line, length);
    map->used_text += length;
    uint64_t own = (uint64_t)(uintptr_t)&read_memory_map;
    map->ranges[map->count++] = (code_range){
        .start = start,
        .end = end,
        .offset = offset,
        .path = path,
        .module = module,
        .is_program = start <= own && own < end,
    };
}

void read_memory_map(memory_map *map) {
    map->count = map->extent_count = map->used_text = 0;
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    static char buffer[16 * 1024];
    size_t filled = 0;
    for (;;) {
        ssize_t count = read(file, buffer + filled, sizeof buffer - 1 - filled);
        if (count <= 0) break;
        filled += count;
        buffer[filled] = 0;
        char *line = buffer;
        for (char *end; (end = memchr(line, '\n', buffer + filled - line)); line = end + 1) {
            *end = 0;
            take_line(map, line);
        }
        filled -= line - buffer;
        /* No line is as long as the buffer; such a line is left out. */
        if (filled == sizeof buffer - 1) filled = 0;
        memmove(buffer, line, filled);
    }
    close(file);
}

const code_range *range_of(const memory_map *map, uint64_t address) {
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const code_range *range = &map->ranges[middle];
        if (address < range->start) high = middle;
        else if (address >= range->end) low = middle + 1;
        else return range;
    }
    return NULL;
}
