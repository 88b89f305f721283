/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "memory_use.h"

#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* The files that were counted in this round, by their hashes. */
static struct {
    dev_t device;
    ino_t inode;
} counted[1 << 14];
enum { counted_places = sizeof counted / sizeof *counted };
static unsigned counted_count;

/* Whether a file was counted before: several processes may have it open. Of too many files, some count twice. */
static bool was_counted(const struct stat *file) {
    uint64_t place = (file->st_ino ^ file->st_dev << 40) * 0x9e3779b97f4a7c15u >> 50;
    for (; counted[place].inode; place = (place + 1) % counted_places) {
        if (counted[place].inode == file->st_ino && counted[place].device == file->st_dev) return true;
    }
    if (counted_count == counted_places / 2) return false;
    counted[place].device = file->st_dev;
    counted[place].inode = file->st_ino;
    ++counted_count;
    return false;
}

static void forget_counted(void) {
    if (counted_count) memset(counted, 0, sizeof counted);
    counted_count = 0;
}

/* Adds the size of an open file that is in memory and has no name, as memfd_create makes it: none of it belongs to a
 * process, and it is gone with the processes. */
static void add_file(const char *folder, const char *name, void *context) {
    uint64_t *memory = context;
    char path[512];
    struct stat file;
    struct statfs system;
    add_text(add_text(path, folder), name);
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || file.st_nlink || !file.st_blocks) return;
    if (statfs(path, &system) != 0) return;
    if (system.f_type != TMPFS_MAGIC && system.f_type != HUGETLBFS_MAGIC) return;
    if (!was_counted(&file)) *memory += (uint64_t)file.st_blocks * 512;
}

uint64_t memory_use(descendants *found) {
    char path[128];
    uint64_t memory = 0;
    forget_counted();
    for (unsigned index = 0; index < found->count; ++index) {
        char *end = add_number(add_text(path, "/proc/"), found->processes[index]);
        add_text(end, "/statm");
        if (read_text(path, found->text, sizeof found->text)) {
            const char *rest = found->text;
            next_number(&rest);
            memory += (uint64_t)next_number(&rest) * (uint64_t)sysconf(_SC_PAGESIZE);
        }
        add_text(end, "/fd/");
        for_each_entry(path, &found->entries, add_file, &memory);
    }
    return memory;
}
