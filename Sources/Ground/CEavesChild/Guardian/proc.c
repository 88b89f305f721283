/* Copyright 2026 The Eaves Authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "proc.h"
#include "calls.h"

#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

char *add_text(char *end, const char *text) {
    while (*text) *end++ = *text++;
    *end = 0;
    return end;
}

char *add_number(char *end, long number) {
    char digits[24];
    char *start = digits + sizeof digits - 1;
    *start = 0;
    do *--start = '0' + number % 10;
    while (number /= 10);
    return add_text(end, start);
}

bool read_text(const char *path, char *text, size_t size) {
    int file = call_open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    size_t filled = 0;
    ssize_t count;
    while (filled < size - 1 && (count = call_read(file, text + filled, size - 1 - filled)) > 0) {
        filled += count;
    }
    call_close(file);
    text[filled] = 0;
    return true;
}

long next_number(const char **text) {
    while (**text == ' ') ++*text;
    long number = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) number = number * 10 + (**text - '0');
    return number;
}

/* An entry of a folder as the kernel gives it. */
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

void for_each_entry(const char *path, proc_entries *entries,
                    void (*body)(const char *path, const char *name, void *context), void *context) {
    int folder = call_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    long filled;
    while ((filled = call_read_folder(folder, entries->bytes, sizeof entries->bytes)) > 0) {
        for (long at = 0; at < filled;) {
            const struct entry *entry = (const struct entry *)(entries->bytes + at);
            if (entry->name[0] != '.') body(path, entry->name, context);
            at += entry->length;
        }
    }
    call_close(folder);
}

/* Adds the children of one thread of a process. */
static void add_children(const char *tasks, const char *thread, void *context) {
    descendants *found = context;
    char path[512];
    add_text(add_text(add_text(path, tasks), thread), "/children");
    if (!read_text(path, found->text, sizeof found->text)) return;
    const char *rest = found->text;
    for (long child; found->count < most_descendants && (child = next_number(&rest));) {
        found->processes[found->count++] = (pid_t)child;
    }
}

void find_descendants(descendants *found) {
    char path[128];
    found->count = 0;
    for_each_entry("/proc/self/task/", &found->entries, add_children, found);
    for (unsigned index = 0; index < found->count; ++index) {
        add_text(add_number(add_text(path, "/proc/"), found->processes[index]), "/task/");
        for_each_entry(path, &found->entries, add_children, found);
    }
}

void signal_descendants(descendants *found, int number) {
    find_descendants(found);
    for (unsigned index = 0; index < found->count; ++index) call_kill(found->processes[index], number);
}

void kill_descendants(descendants *found) {
    signal_descendants(found, SIGSTOP);
    signal_descendants(found, SIGKILL);
}

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
